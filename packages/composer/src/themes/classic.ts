import { fonts } from './fonts.ts';
import type { Theme } from './theme.ts';

export const editorial: Theme = {
  name: 'editorial',
  headingFont: fonts.transitional,
  bodyFont: fonts.transitional,
  headingWeight: 400,
  headingSpacing: '-0.025em',
  headingCase: 'none',
  heroSize: 'clamp(2.5rem, 7.2vw, 6rem)',
  headingSize: 'clamp(1.9rem, 3.6vw, 3rem)',
  bodySize: '1.125rem',
  radius: '0',
  buttonRadius: '0',
  lineWidth: '1px',
  rhythm: 'clamp(3.5rem, 8vw, 7rem)',
  header: 'masthead',
  heroes: ['stack', 'split'],
  lists: ['rows', 'columns', 'numbered'],
  images: 'still',
  isDarkFirst: false,
  paper: [0.985, 0.006, 85],
  paperDark: [0.19, 0.008, 70],
  accents: [
    [0.5, 0.16, 28],
    [0.44, 0.11, 255],
    [0.46, 0.09, 155],
  ],
  css: `.section + .section { border-top: 1px solid var(--line) }
.section-text { columns: 2 20rem; column-gap: 3rem }
.kicker { font-style: italic }
.hero .lead::first-letter { font-size: 3.1em; float: left; line-height: .8; padding: .08em .08em 0 0; color: var(--accent-ink) }`,
};

export const swiss: Theme = {
  name: 'swiss',
  headingFont: fonts.grotesque,
  bodyFont: fonts.grotesque,
  headingWeight: 700,
  headingSpacing: '-0.04em',
  headingCase: 'none',
  heroSize: 'clamp(2.4rem, 8vw, 7rem)',
  headingSize: 'clamp(1.6rem, 3vw, 2.6rem)',
  bodySize: '1.0625rem',
  radius: '0',
  buttonRadius: '0',
  lineWidth: '3px',
  rhythm: 'clamp(3rem, 7vw, 6rem)',
  header: 'bar',
  heroes: ['stack', 'split'],
  lists: ['numbered', 'rows', 'columns'],
  images: 'bauhaus',
  isDarkFirst: false,
  paper: [0.99, 0, 0],
  paperDark: [0.17, 0, 0],
  accents: [
    [0.58, 0.23, 28],
    [0.52, 0.22, 262],
    [0.6, 0.19, 45],
  ],
  css: `.section:not(.banner, .statement) > .section-body { border-top: 3px solid var(--ink); padding-top: 1.25rem }
@media (min-width: 60rem) { .section:not(.hero, .pagehead) > .section-body:not(.wide) { display: grid; grid-template-columns: 1fr 2fr; gap: 3rem } }
.hero h1 { line-height: .98 }
.site-header { border-bottom: 0 }
.brand { letter-spacing: -.03em }`,
};

export const quiet: Theme = {
  name: 'quiet',
  headingFont: fonts.didone,
  bodyFont: fonts.classical,
  headingWeight: 400,
  headingSpacing: '0.005em',
  headingCase: 'none',
  heroSize: 'clamp(2.2rem, 5.6vw, 4.6rem)',
  headingSize: 'clamp(1.7rem, 3vw, 2.5rem)',
  bodySize: '1.0625rem',
  radius: '0',
  buttonRadius: '0',
  lineWidth: '1px',
  rhythm: 'clamp(4.5rem, 11vw, 9.5rem)',
  header: 'masthead',
  heroes: ['centre', 'overlap'],
  lists: ['columns', 'rows'],
  images: 'line',
  isDarkFirst: false,
  paper: [0.972, 0.008, 75],
  paperDark: [0.2, 0.012, 60],
  accents: [
    [0.5, 0.07, 75],
    [0.42, 0.05, 160],
    [0.45, 0.06, 20],
  ],
  css: `.section-head { text-align: center; margin-inline: auto }
.section-head + .actions { justify-content: center }
.kicker, .site-nav a, .button { text-transform: uppercase; letter-spacing: .16em; font-size: .78rem }
.brand { letter-spacing: .14em; text-transform: uppercase; font-weight: 400 }
.list-columns > li { text-align: center }
.button { border: 1px solid currentcolor }`,
};

export const clear: Theme = {
  name: 'clear',
  headingFont: fonts.humanist,
  bodyFont: fonts.humanist,
  headingWeight: 650,
  headingSpacing: '-0.015em',
  headingCase: 'none',
  heroSize: 'clamp(2.2rem, 5vw, 3.9rem)',
  headingSize: 'clamp(1.65rem, 2.8vw, 2.3rem)',
  bodySize: '1.125rem',
  radius: '.75rem',
  buttonRadius: '.5rem',
  lineWidth: '1px',
  rhythm: 'clamp(3rem, 7vw, 5.5rem)',
  header: 'bar',
  heroes: ['card', 'split'],
  lists: ['cards', 'checks', 'columns'],
  images: 'calm',
  isDarkFirst: false,
  paper: [0.99, 0.004, 220],
  paperDark: [0.21, 0.02, 240],
  accents: [
    [0.48, 0.1, 225],
    [0.46, 0.09, 185],
    [0.47, 0.12, 262],
  ],
  css: `.hero { background: var(--soft) }
.section:nth-of-type(odd):not(.hero):not(.banner) { background: var(--soft) }
.list-cards > li { border-top: 4px solid var(--accent) }`,
};
