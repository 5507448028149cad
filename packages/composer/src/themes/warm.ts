import { fonts } from './fonts.ts';
import type { Theme } from './theme.ts';

export const craft: Theme = {
  name: 'craft',
  headingFont: fonts.oldStyle,
  bodyFont: fonts.oldStyle,
  headingWeight: 600,
  headingSpacing: '-0.015em',
  headingCase: 'none',
  heroSize: 'clamp(2.4rem, 6vw, 4.8rem)',
  headingSize: 'clamp(1.8rem, 3.2vw, 2.7rem)',
  bodySize: '1.1875rem',
  radius: '1rem',
  buttonRadius: '99rem',
  lineWidth: '1px',
  rhythm: 'clamp(3.5rem, 7vw, 6rem)',
  header: 'bar',
  heroes: ['split', 'overlap'],
  lists: ['cards', 'tiles', 'rows'],
  images: 'arch',
  isDarkFirst: false,
  paper: [0.965, 0.022, 80],
  paperDark: [0.22, 0.02, 55],
  accents: [
    [0.52, 0.14, 40],
    [0.47, 0.1, 140],
    [0.5, 0.13, 15],
  ],
  css: `.hero .media img, .about .media img { border-radius: 50vw 50vw 1rem 1rem }
.site-header { background: var(--header) }
.list-cards > li { background: var(--surface); border: 0; box-shadow: 0 1px 0 var(--line), 0 12px 28px -22px rgb(60 30 0 / .5) }
.section:nth-of-type(even):not(.banner) { background: var(--soft) }`,
};

export const playful: Theme = {
  name: 'playful',
  headingFont: fonts.rounded,
  bodyFont: fonts.rounded,
  headingWeight: 800,
  headingSpacing: '-0.025em',
  headingCase: 'none',
  heroSize: 'clamp(2.5rem, 7vw, 5.4rem)',
  headingSize: 'clamp(1.8rem, 3.6vw, 3rem)',
  bodySize: '1.125rem',
  radius: '1.75rem',
  buttonRadius: '99rem',
  lineWidth: '3px',
  rhythm: 'clamp(3rem, 7vw, 5.5rem)',
  header: 'pill',
  heroes: ['split', 'centre'],
  lists: ['tiles', 'cards', 'details'],
  images: 'blobs',
  isDarkFirst: false,
  paper: [0.97, 0.025, 95],
  paperDark: [0.24, 0.05, 290],
  accents: [
    [0.56, 0.21, 350],
    [0.52, 0.2, 285],
    [0.55, 0.15, 165],
  ],
  css: `.button { box-shadow: 0 .3rem 0 var(--ink); border: 2px solid var(--ink) }
.list-cards > li, .card { border: 3px solid var(--ink); background: var(--surface) }
.list-tiles > li:nth-child(odd) { rotate: -1deg } .list-tiles > li:nth-child(even) { rotate: 1deg }
.hero .media { rotate: 2deg }
@media (prefers-reduced-motion: no-preference) { .list-tiles > li { transition: rotate .2s } .list-tiles > li:hover { rotate: 0deg } }`,
};

export const botanical: Theme = {
  name: 'botanical',
  headingFont: fonts.slab,
  bodyFont: fonts.humanist,
  headingWeight: 500,
  headingSpacing: '-0.02em',
  headingCase: 'none',
  heroSize: 'clamp(2.3rem, 6vw, 5rem)',
  headingSize: 'clamp(1.7rem, 3.2vw, 2.6rem)',
  bodySize: '1.125rem',
  radius: '.25rem',
  buttonRadius: '.25rem',
  lineWidth: '2px',
  rhythm: 'clamp(3.5rem, 8vw, 6.5rem)',
  header: 'bar',
  heroes: ['overlap', 'split'],
  lists: ['tiles', 'rows', 'columns'],
  images: 'hills',
  isDarkFirst: false,
  paper: [0.965, 0.018, 125],
  paperDark: [0.22, 0.03, 155],
  accents: [
    [0.45, 0.1, 145],
    [0.5, 0.11, 60],
    [0.43, 0.08, 175],
  ],
  css: `.about { background: var(--deep); color: var(--on-deep) }
.about h2, .about .kicker, .about p { color: var(--on-deep) }
.about .button { background: var(--on-deep); color: var(--deep) }
.about .media img { translate: 0 2rem; box-shadow: 0 0 0 .6rem var(--bg) }`,
};
