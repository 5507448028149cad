import type { HeroLayout } from '../directions/direction.ts';

const shared = `.hero-text { display: grid; gap: clamp(1rem, 2vw, 1.6rem); justify-items: start; align-content: center }
.hero .section-body { display: grid; gap: clamp(2rem, 5vw, 4rem) }
`;

/** How the first section of the home page is laid out. */
export const heroes: Readonly<Record<HeroLayout, string>> = {
  split: `${shared}.hero-split h1 { font-size: min(var(--hero-size), 4.6rem) }
@media (min-width: 56rem) { .hero-split .section-body { grid-template-columns: 1.08fr 1fr; align-items: center } }
`,
  stack: `${shared}.hero-stack .hero-text { width: 100% }
.hero-stack .media img { aspect-ratio: 21 / 9; object-fit: cover }
@media (min-width: 56rem) { .hero-stack .hero-text { grid-template-columns: 1fr 1fr; column-gap: 4rem } .hero-stack h1, .hero-stack .kicker { grid-column: 1 / -1 } .hero-stack .actions { align-self: end; justify-self: end } }
`,
  cover: `${shared}.hero-cover { background: var(--accent); color: var(--on-accent); overflow: clip }
.hero-cover .kicker, .hero-cover .lead { color: inherit }
.hero-cover .button { background: var(--on-accent); color: var(--accent) }
.hero-cover .button.quiet { background: none; color: inherit }
.hero-cover .button:hover { background: var(--bg); color: var(--ink) }
.hero-cover .media { margin-bottom: calc(var(--rhythm) * -1) }
.hero-cover .media img { aspect-ratio: 4 / 3; object-fit: cover; border-radius: 0 }
@media (min-width: 56rem) { .hero-cover h1 { font-size: min(var(--hero-size), 6.6rem) } .hero-cover .section-body { grid-template-columns: 1.6fr 1fr; align-items: center } .hero-cover .media { align-self: end } .hero-cover .media img { aspect-ratio: 1 } }
`,
  centre: `${shared}.hero-centre .hero-text { justify-items: center; text-align: center; max-width: 54rem; margin-inline: auto }
.hero-centre .actions { justify-content: center }
.hero-centre .media img { aspect-ratio: 2 / 1; object-fit: cover }
`,
  card: `${shared}.hero-card .media img { aspect-ratio: 3 / 2; object-fit: cover }
@media (min-width: 56rem) { .hero-card .section-body { grid-template-columns: 1.15fr 1fr; align-items: center } .hero-card .card { grid-column: 2; margin: -7rem 2rem 0 -3rem; position: relative; box-shadow: 0 20px 50px -30px rgb(0 0 0 / .4) } }
`,
  overlap: `${shared}.hero-overlap .media { order: -1 }
.hero-overlap .media img { aspect-ratio: 16 / 9; object-fit: cover }
.hero-overlap .hero-text { background: var(--bg); margin: -4.5rem 0 0; padding: clamp(1.25rem, 4vw, 3rem) clamp(1.25rem, 4vw, 3rem) 0; position: relative; width: min(54rem, 100%) }
.hero-overlap .section-body { gap: 0; justify-items: center }
.hero-overlap .media { width: 100% }
.hero-overlap.section { padding-top: 1.5rem; background: var(--bg) }
@media (max-width: 40rem) { .hero-overlap .hero-text { margin-top: -2rem; width: calc(100% - 1.5rem) } }
`,
};
