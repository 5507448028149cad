import { heroLayoutOf } from '../sections/opening-sections.ts';
import type { Site } from '../site.ts';
import { chosenFonts } from '../themes/fonts.ts';
import { type Palette, palettesOf } from '../themes/palette.ts';
import type { HeaderLayout, HeroLayout, Theme } from '../themes/theme.ts';
import { themes } from '../themes/themes.ts';
import { contextOf } from './context.ts';

const declarations = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values)
    .map(([name, value]) => `  --${name}: ${value};\n`)
    .join('');
const colors = (palette: Palette) => declarations({ ...palette });

function typography(theme: Theme, site: Site): string {
  const [headingFont, bodyFont] = site.font === undefined ? [theme.headingFont, theme.bodyFont] : chosenFonts[site.font];
  return declarations({
    'heading-font': headingFont,
    'body-font': bodyFont,
    'heading-weight': theme.headingWeight,
    'heading-spacing': theme.headingSpacing,
    'heading-case': theme.headingCase,
    'hero-size': theme.heroSize,
    'heading-size': theme.headingSize,
    'body-size': theme.bodySize,
    radius: theme.radius,
    'button-radius': theme.buttonRadius,
    'line-width': theme.lineWidth,
    rhythm: theme.rhythm,
    width: '72rem',
    gutter: 'clamp(1.1rem, 4vw, 2.5rem)',
  });
}

/** The one style sheet of a site: custom properties first, then the rules of the layouts that the site uses. */
export function styleSheet(site: Site): string {
  const theme = themes[site.direction];
  const { base: palette, dark } = palettesOf(site);
  const night = dark === undefined ? '' : `@media (prefers-color-scheme: dark) {\n:root {\n${colors(dark)}}\n}\n`;
  const opening = site.pages.flatMap((page) =>
    page.sections.filter(({ kind }) => kind === 'hero').map((section) => heroLayoutOf(contextOf(site, page), section)),
  );
  const heroRules = [...new Set(opening)].map((layout) => heroes[layout]).join('');
  return `:root {\n${colors(palette)}${typography(theme, site)}}\n${night}${base}${headers[theme.header]}${heroRules}${lists}${footer}${theme.css}\n`;
}

/** Rules that all themes share. */
const base = `*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 5rem }
body { margin: 0; background: var(--bg); color: var(--ink); font: 400 var(--body-size)/1.6 var(--body-font); overflow-wrap: break-word }
img { display: block; max-width: 100%; height: auto }
figure, blockquote, dl, dd { margin: 0 }
ul { margin: 0; padding: 0; list-style: none }
h1, h2, h3, p { margin: 0 }
h1, h2, h3, .brand { font-family: var(--heading-font); font-weight: var(--heading-weight); letter-spacing: var(--heading-spacing); line-height: 1.08; text-wrap: balance }
h1, h2 { text-transform: var(--heading-case) }
h1, h2, h3 { hyphens: auto; hyphenate-limit-chars: 14 6 6 }
.section-body > *, .footer-body > *, .list > *, .form > * { min-width: 0 }
h1 { font-size: var(--hero-size); line-height: 1.02 }
h2 { font-size: var(--heading-size) }
h3 { font-size: 1.22em; line-height: 1.2 }
p { text-wrap: pretty; max-width: 40em }
a { color: var(--accent-ink); text-underline-offset: .2em; text-decoration-thickness: 1px }
:focus-visible { outline: 3px solid var(--accent-ink); outline-offset: 3px }
.skip { position: absolute; left: 1rem; top: -10rem; padding: .75rem 1rem; background: var(--ink); color: var(--bg); z-index: 10 }
.skip:focus { top: 1rem }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
.section { padding-block: var(--rhythm) }
.section-body, .footer-body { width: min(var(--width), 100% - 2 * var(--gutter)); margin-inline: auto }
.section-head { display: grid; gap: 1rem; margin-bottom: clamp(1.5rem, 4vw, 3rem); max-width: 46rem }
.section-head > p, .section-head .lead { color: var(--muted); font-size: 1.08em }
.section-text { display: grid; gap: 1.1rem; align-content: center }
.section-text > p + p { margin-top: 0 }
.kicker { color: var(--accent-ink); font-size: 1rem; font-weight: 600 }
.lead { font-size: clamp(1.1rem, 1.6vw, 1.35rem); line-height: 1.5; color: var(--muted); max-width: 34em }
.actions { display: flex; flex-wrap: wrap; gap: .75rem 1rem; padding-top: .5rem }
.button { display: inline-block; padding: .85em 1.5em; border: 1px solid transparent; border-radius: var(--button-radius); background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; line-height: 1.2; text-decoration: none; cursor: pointer }
.button:hover { background: var(--ink); color: var(--bg) }
.button.quiet { background: none; color: inherit; border-color: currentcolor }
.button.quiet:hover { background: var(--ink); color: var(--bg) }
.card { padding: clamp(1.25rem, 3vw, 2rem); background: var(--surface); border: var(--line-width) solid var(--line); border-radius: var(--radius) }
.media img { border-radius: var(--radius); width: 100% }
.media img[srcset] { aspect-ratio: 4 / 3; object-fit: cover }
.pagehead { padding-bottom: calc(var(--rhythm) / 2) }
.pagehead .section-body { display: grid; gap: 1rem }
.pagehead h1 { font-size: clamp(2.2rem, 6vw, 4.4rem) }
.single h2 { font-size: 1.4rem; padding-top: 1rem }
.about-body { display: grid; gap: clamp(2rem, 5vw, 4.5rem); align-items: center }
.story .media img { aspect-ratio: 5 / 2; object-fit: cover; margin-bottom: 2rem }
.statement-text { font: var(--heading-weight) clamp(1.6rem, 4vw, 3.2rem)/1.2 var(--heading-font); letter-spacing: var(--heading-spacing); text-wrap: balance; max-width: 24em; margin-inline: auto; text-align: center }
.banner { background: var(--accent); color: var(--on-accent) }
.banner .section-body { display: grid; gap: 1.25rem; justify-items: center; text-align: center }
.banner .button { background: var(--on-accent); color: var(--accent); font-weight: 700 }
.banner .button:hover { background: var(--bg); color: var(--ink) }
.emergency-phone { font-size: clamp(1.8rem, 5vw, 3.2rem); font-weight: 700 }
@media (max-width: 40rem) { h1, h2, h3, p, a, li, dd { overflow-wrap: anywhere } }
@media (max-width: 51.99rem) { .about .media img { aspect-ratio: 3 / 2; object-fit: cover } }
@media (min-width: 60rem) { .story > .section-body { display: grid; grid-template-columns: 1fr 1.3fr; gap: 0 4rem } .story .media { grid-column: 1 / -1; order: -1 } .story .section-head { margin: 0; text-align: start } }
@media (min-width: 52rem) { .about-body { grid-template-columns: 1.1fr 1fr } .hero + .about .media, .about:nth-of-type(even) .media { order: -1 } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } .button { transition: background-color .15s, color .15s } @view-transition { navigation: auto } }
@media print { .site-nav, .form, .actions, .skip, .media { display: none } .section { padding-block: 1rem; break-inside: avoid } body, .section { background: #fff !important; color: #000 !important } h1 { font-size: 2rem } }
`;

const sharedHeader = `.site-header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 2rem; padding: .9rem var(--gutter); background: var(--header); color: var(--header-ink) }
.brand { display: inline-flex; align-items: center; gap: .6rem; max-width: 100%; color: inherit; font-size: 1.25rem; text-decoration: none }
.brand span { min-width: 0; overflow-wrap: anywhere }
.brand img { border-radius: 22%; flex: none }
.brand img.logo { width: auto; height: 3rem; max-width: 12rem; object-fit: contain; border-radius: 0 }
.site-nav { display: flex; flex-wrap: wrap; gap: 0 1.5rem }
.site-nav a { color: inherit; text-decoration: none; padding: .55rem 0; border-bottom: 2px solid transparent }
.site-nav a:hover, .site-nav a[aria-current] { border-color: currentcolor }
`;

/** How the header of a site is laid out, from 320 pixels on. */
const headers: Readonly<Record<HeaderLayout, string>> = {
  bar: `${sharedHeader}.site-header { border-bottom: 1px solid var(--line) }
`,
  masthead: `${sharedHeader}.site-header { flex-direction: column; justify-content: center; padding-block: 1.6rem 0; text-align: center }
.site-header .brand { font-size: clamp(1.5rem, 3.4vw, 2.4rem) }
.site-nav { align-self: stretch; justify-content: center; border-block: 1px solid var(--line); margin-top: 1rem }
`,
  pill: `${sharedHeader}.site-header { margin: 1rem var(--gutter) 0; padding: .5rem 1.25rem; border: 1px solid var(--line); border-radius: 2rem }
@media (min-width: 52rem) { .site-header { position: sticky; top: .75rem; z-index: 5; border-radius: 99rem } }
`,
  block: `${sharedHeader}.site-header { border-bottom: 4px solid var(--ink) }
.site-header .brand { font-size: clamp(1.4rem, 3vw, 2.2rem); text-transform: uppercase }
.site-nav a { font-weight: 700 }
`,
  side: `${sharedHeader}.site-header { border-bottom: 1px solid var(--line) }
@media (min-width: 68rem) {
body { padding-left: 15rem }
.site-header { position: fixed; inset: 0 auto 0 0; width: 15rem; flex-direction: column; flex-wrap: nowrap; align-items: flex-start; justify-content: flex-start; gap: 2.5rem; padding: 2rem 1.5rem; border-right: 1px solid var(--line); border-bottom: 0; overflow-y: auto }
.site-header .brand { flex-direction: column; align-items: flex-start }
.site-nav { flex-direction: column; font-family: var(--heading-font); font-size: .95rem }
}
`,
};

const footer = `.site-footer { background: var(--deep); color: var(--on-deep); padding-block: clamp(2.5rem, 6vw, 4.5rem) }
.site-footer a { color: inherit }
.footer-body { display: grid; gap: 1.5rem 3rem }
.footer-body { min-width: 0 }
.footer-body .brand { font-size: 1.5rem; overflow-wrap: anywhere }
.footer-body nav { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem }
.footer-body nav a { padding-block: .4rem }
.footer-body .fine { font-size: .95rem }
@media (min-width: 60rem) { .footer-body { grid-template-columns: 1fr auto; align-items: start } .footer-body .facts { grid-row: span 3 } }
`;

const sharedHero = `.hero-text { display: grid; gap: clamp(1rem, 2vw, 1.6rem); justify-items: start; align-content: center }
.hero .section-body { display: grid; gap: clamp(2rem, 5vw, 4rem) }
`;

/** How the first section of the home page is laid out. */
const heroes: Readonly<Record<HeroLayout, string>> = {
  split: `${sharedHero}.hero-split h1 { font-size: min(var(--hero-size), 4.6rem) }
@media (min-width: 56rem) { .hero-split .section-body { grid-template-columns: 1.08fr 1fr; align-items: center } }
`,
  stack: `${sharedHero}.hero-stack .hero-text { width: 100% }
.hero-stack .media img { aspect-ratio: 21 / 9; object-fit: cover }
@media (min-width: 56rem) { .hero-stack .hero-text { grid-template-columns: 1fr 1fr; column-gap: 4rem } .hero-stack h1, .hero-stack .kicker { grid-column: 1 / -1 } .hero-stack .actions { align-self: end; justify-self: end } }
`,
  cover: `${sharedHero}.hero-cover { background: var(--accent); color: var(--on-accent); overflow: clip }
.hero-cover .kicker, .hero-cover .lead { color: inherit }
.hero-cover .button { background: var(--on-accent); color: var(--accent) }
.hero-cover .button.quiet { background: none; color: inherit }
.hero-cover .button:hover { background: var(--bg); color: var(--ink) }
.hero-cover .media { margin-bottom: calc(var(--rhythm) * -1) }
.hero-cover .media img { aspect-ratio: 4 / 3; object-fit: cover; border-radius: 0 }
@media (min-width: 56rem) { .hero-cover h1 { font-size: min(var(--hero-size), 6.6rem) } .hero-cover .section-body { grid-template-columns: 1.6fr 1fr; align-items: center } .hero-cover .media { align-self: end } .hero-cover .media img { aspect-ratio: 1 } }
`,
  centre: `${sharedHero}.hero-centre .hero-text { justify-items: center; text-align: center; max-width: 54rem; margin-inline: auto }
.hero-centre .actions { justify-content: center }
.hero-centre .media img { aspect-ratio: 2 / 1; object-fit: cover }
`,
  card: `${sharedHero}.hero-card .media img { aspect-ratio: 3 / 2; object-fit: cover }
@media (min-width: 56rem) { .hero-card .section-body { grid-template-columns: 1.15fr 1fr; align-items: center } .hero-card .card { grid-column: 2; margin: -7rem 2rem 0 -3rem; position: relative; box-shadow: 0 20px 50px -30px rgb(0 0 0 / .4) } }
`,
  overlap: `${sharedHero}.hero-overlap .media { order: -1 }
.hero-overlap .media img { aspect-ratio: 16 / 9; object-fit: cover }
.hero-overlap .hero-text { background: var(--bg); margin: -4.5rem 0 0; padding: clamp(1.25rem, 4vw, 3rem) clamp(1.25rem, 4vw, 3rem) 0; position: relative; width: min(54rem, 100%) }
.hero-overlap .section-body { gap: 0; justify-items: center }
.hero-overlap .media { width: 100% }
.hero-overlap.section { padding-top: 1.5rem; background: var(--bg) }
@media (max-width: 40rem) { .hero-overlap .hero-text { margin-top: -2rem; width: calc(100% - 1.5rem) } }
`,
};

/** The layouts of lists, galleries, forms and facts. */
const lists = `.list { display: grid; gap: clamp(1.25rem, 3vw, 2rem) }
.list h3 + p { margin-top: .5rem; color: var(--muted) }
.list-cards, .list-columns { grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)) }
.list-cards > li { padding: 1.5rem; background: var(--surface); border: var(--line-width) solid var(--line); border-radius: var(--radius); overflow: clip }
.list-cards > li > img { width: calc(100% + 3rem); max-width: none; margin: -1.5rem -1.5rem 1.25rem; aspect-ratio: 3 / 2; object-fit: cover }
.list-rows { gap: 0 }
.list-rows > li { display: grid; gap: .25rem 3rem; padding-block: 1.4rem; border-top: 1px solid var(--line) }
.list-rows > li:last-child { border-bottom: 1px solid var(--line) }
.list-rows h3 + p { margin-top: 0 }
.list-numbered { counter-reset: item }
.list-numbered > li { counter-increment: item; position: relative; padding-left: 4.25rem; padding-top: .2rem; min-height: 3rem }
.list-numbered > li::before { content: counter(item, decimal-leading-zero); position: absolute; left: 0; top: 0; font: var(--heading-weight) 2.1rem/1.1 var(--heading-font); color: var(--accent-ink) }
.list-columns > li { padding-top: 1rem; border-top: var(--line-width) solid var(--accent) }
.list-tiles > li { padding: clamp(1.5rem, 3vw, 2.25rem); background: var(--soft); border-radius: var(--radius); min-height: 11rem; display: flex; flex-direction: column; justify-content: end }
.list-tiles > li:first-child { background: var(--accent); color: var(--on-accent) } .list-tiles > li:first-child p { color: inherit }
.list-tiles > li:nth-child(4n) { background: var(--deep); color: var(--on-deep) } .list-tiles > li:nth-child(4n) p { color: inherit }
.list-checks > li { position: relative; padding-left: 2.5rem }
.list-checks > li::before { content: ""; position: absolute; left: .1rem; top: .45rem; width: 1.2rem; height: .6rem; border: solid var(--accent-ink); border-width: 0 0 3px 3px; rotate: -45deg }
.list-details { gap: 0 }
.list-details details { border-top: var(--line-width) solid var(--line); padding-block: 1.1rem }
.list-details details:last-child { border-bottom: var(--line-width) solid var(--line) }
.list-details summary { font-weight: 650; font-size: 1.1em; cursor: pointer }
.list-details p { padding-top: .75rem; color: var(--muted) }
.quotes-list p { font: var(--heading-weight) 1.4rem/1.4 var(--heading-font); color: var(--ink) } .quotes-list footer { color: var(--muted); padding-top: .75rem }
.priced > li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 2rem; padding-block: .8rem; border-bottom: 1px solid var(--line) }
.priced b { font-variant-numeric: tabular-nums }
.plain > li { padding-block: .3rem; font-variant-numeric: tabular-nums }
.facts { display: grid; gap: 1.1rem; align-content: start }
.facts dt { font-size: .9rem; opacity: .85 }
.facts dd { font-weight: 600 }
.gallery-list { display: grid; gap: clamp(.75rem, 2vw, 1.5rem); grid-template-columns: 1fr 1fr }
.gallery-list img { width: 100%; height: 100%; object-fit: cover; border-radius: var(--radius); aspect-ratio: 1 }
.form { display: grid; gap: 1.1rem; max-width: 36rem }
.form label { display: grid; gap: .35rem; font-weight: 600 }
.form input, .form textarea { width: 100%; padding: .8rem .9rem; font: inherit; font-weight: 400; color: var(--ink); background: var(--surface); border: 1px solid var(--muted); border-radius: min(var(--radius), .75rem) }
.form .button { justify-self: start }
.form-side { display: grid; gap: 2rem; align-content: start }
.form-side .media img { aspect-ratio: 3 / 2; object-fit: cover }
.form-and-facts { display: grid; gap: clamp(2rem, 6vw, 5rem) }
@media (min-width: 44rem) { .list-tiles { grid-template-columns: 1fr 1fr } .list-rows > li { grid-template-columns: minmax(10rem, 1fr) 2fr } .list-numbered { grid-template-columns: 1fr 1fr } .list-checks { grid-template-columns: 1fr 1fr } }
@media (min-width: 60rem) { .list-tiles { grid-template-columns: repeat(3, 1fr) } .list-tiles > li:first-child, .list-tiles > li:nth-child(4n) { grid-column: span 2 } .gallery-list { grid-template-columns: repeat(4, 1fr) } .gallery-mosaic { grid-template-columns: 2fr 1fr 1fr } .gallery-mosaic > li:first-child { grid-row: span 2 } .gallery-mosaic > li:last-child { grid-column: span 2 } .gallery-mosaic > li:last-child img { aspect-ratio: 2 / 1 } .form-and-facts:has(.form-side) { grid-template-columns: 1.4fr 1fr; align-items: start } }
@media (min-width: 44rem) and (max-width: 59.99rem) { .list-cards:has(> :nth-child(4):last-child), .list-columns:has(> :nth-child(4):last-child) { grid-template-columns: 1fr 1fr } }
@media (min-width: 44rem) { .list-tiles:has(> :nth-child(3):last-child) > li:last-child { grid-column: 1 / -1 } }
@media (min-width: 60rem) { .list-numbered:has(> :nth-child(3):last-child), .list-checks:has(> :nth-child(3):last-child) { grid-template-columns: repeat(3, 1fr) } }
@media (min-width: 60rem) { .beside > .section-body { display: grid; grid-template-columns: 1fr 1.6fr; gap: 2rem 4rem; align-items: start } .beside .section-head { margin: 0; text-align: start } }
@media (min-width: 60rem) { .gallery-strip { grid-template-columns: 3fr 2fr 2fr 3fr } .gallery-strip img { aspect-ratio: auto; min-height: 20rem } }
.gallery-list.gallery-own { grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)) }
.gallery-own img { aspect-ratio: 4 / 3 }
`;
