import { clear, editorial, quiet, swiss } from './classic.ts';
import { fonts } from './fonts.ts';
import type { Theme, ThemeName } from './theme.ts';
import { botanical, craft, playful } from './warm.ts';

const poster: Theme = {
  name: 'poster',
  headingFont: fonts.condensed,
  bodyFont: fonts.system,
  headingWeight: 800,
  headingSpacing: '-0.02em',
  headingCase: 'uppercase',
  heroSize: 'clamp(2.6rem, 9vw, 9.5rem)',
  headingSize: 'clamp(2rem, 5.6vw, 4.6rem)',
  bodySize: '1.125rem',
  radius: '0',
  buttonRadius: '0',
  lineWidth: '4px',
  rhythm: 'clamp(3rem, 7vw, 6rem)',
  header: 'block',
  heroes: ['cover'],
  lists: ['tiles', 'rows', 'numbered'],
  images: 'poster',
  isDarkFirst: false,
  paper: [0.955, 0.03, 95],
  paperDark: [0.18, 0.02, 60],
  accents: [
    [0.6, 0.21, 32],
    [0.52, 0.23, 275],
    [0.55, 0.17, 150],
  ],
  css: `h1, h2 { line-height: .92 }
.section + .section { border-top: 4px solid var(--ink) }
.about { background: var(--deep); color: var(--on-deep) }
.about h2, .about .kicker, .about p { color: var(--on-deep) }
.button { text-transform: uppercase; font-weight: 800 }`,
};

const technical: Theme = {
  name: 'technical',
  headingFont: fonts.mono,
  bodyFont: fonts.system,
  headingWeight: 600,
  headingSpacing: '-0.045em',
  headingCase: 'none',
  heroSize: 'clamp(2rem, 5.2vw, 4.2rem)',
  headingSize: 'clamp(1.4rem, 2.6vw, 2.1rem)',
  bodySize: '1rem',
  radius: '.25rem',
  buttonRadius: '.25rem',
  lineWidth: '1px',
  rhythm: 'clamp(3rem, 6vw, 5rem)',
  header: 'side',
  heroes: ['split', 'card'],
  lists: ['numbered', 'cards', 'details'],
  images: 'blueprint',
  isDarkFirst: false,
  paper: [0.975, 0.004, 250],
  paperDark: [0.18, 0.02, 255],
  accents: [
    [0.5, 0.17, 258],
    [0.5, 0.12, 165],
    [0.53, 0.19, 20],
  ],
  css: `.hero { background: linear-gradient(var(--line) 1px, transparent 1px) 0 0 / 100% 2rem, linear-gradient(90deg, var(--line) 1px, transparent 1px) 0 0 / 2rem 100%, var(--bg) }
.hero h1, .hero .lead, .hero .kicker { background: var(--bg); box-shadow: 0 0 0 .35rem var(--bg) }
.kicker { font-family: var(--heading-font); font-size: .85rem }
.kicker::before { content: "// " }
.section + .section { border-top: 1px solid var(--line) }`,
};

const night: Theme = {
  name: 'night',
  headingFont: fonts.system,
  bodyFont: fonts.system,
  headingWeight: 600,
  headingSpacing: '-0.035em',
  headingCase: 'none',
  heroSize: 'clamp(2.5rem, 7vw, 5.8rem)',
  headingSize: 'clamp(1.8rem, 3.4vw, 2.8rem)',
  bodySize: '1.0625rem',
  radius: '1.25rem',
  buttonRadius: '99rem',
  lineWidth: '1px',
  rhythm: 'clamp(3.5rem, 8vw, 7rem)',
  header: 'pill',
  heroes: ['centre', 'cover'],
  lists: ['cards', 'tiles', 'details'],
  images: 'glow',
  isDarkFirst: true,
  paper: [0.97, 0.012, 290],
  paperDark: [0.16, 0.03, 285],
  accents: [
    [0.62, 0.2, 300],
    [0.66, 0.17, 45],
    [0.68, 0.15, 200],
  ],
  css: `body { background: radial-gradient(60rem 40rem at 80% -10%, color-mix(in srgb, var(--accent) 28%, transparent), transparent) no-repeat, var(--bg) }
.list-cards > li, .list-tiles > li, .card { background: var(--surface); border: 1px solid var(--line) }
.hero-cover { background: none; color: var(--ink) } .hero-cover h1, .hero-cover .lead, .hero-cover .kicker { color: var(--ink) }`,
};

export const themes: Readonly<Record<ThemeName, Theme>> = {
  editorial,
  swiss,
  craft,
  poster,
  quiet,
  technical,
  playful,
  night,
  clear,
  botanical,
};
