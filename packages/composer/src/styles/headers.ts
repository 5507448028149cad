import type { HeaderLayout } from '../directions/direction.ts';

const shared = `.site-header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 2rem; padding: .9rem var(--gutter); background: var(--header); color: var(--header-ink) }
.brand { display: inline-flex; align-items: center; gap: .6rem; max-width: 100%; color: inherit; font-size: 1.25rem; text-decoration: none }
.brand span { min-width: 0; overflow-wrap: anywhere }
.brand img { border-radius: 22%; flex: none }
.site-nav { display: flex; flex-wrap: wrap; gap: 0 1.5rem }
.site-nav a { color: inherit; text-decoration: none; padding: .55rem 0; border-bottom: 2px solid transparent }
.site-nav a:hover, .site-nav a[aria-current] { border-color: currentcolor }
`;

/** How the header of a site is laid out, from 320 pixels on. */
export const headers: Readonly<Record<HeaderLayout, string>> = {
  bar: `${shared}.site-header { border-bottom: 1px solid var(--line) }
`,
  masthead: `${shared}.site-header { flex-direction: column; justify-content: center; padding-block: 1.6rem 0; text-align: center }
.site-header .brand { font-size: clamp(1.5rem, 3.4vw, 2.4rem) }
.site-nav { align-self: stretch; justify-content: center; border-block: 1px solid var(--line); margin-top: 1rem }
`,
  pill: `${shared}.site-header { margin: 1rem var(--gutter) 0; padding: .5rem 1.25rem; border: 1px solid var(--line); border-radius: 2rem }
@media (min-width: 52rem) { .site-header { position: sticky; top: .75rem; z-index: 5; border-radius: 99rem } }
`,
  block: `${shared}.site-header { border-bottom: 4px solid var(--ink) }
.site-header .brand { font-size: clamp(1.4rem, 3vw, 2.2rem); text-transform: uppercase }
.site-nav a { font-weight: 700 }
`,
  side: `${shared}.site-header { border-bottom: 1px solid var(--line) }
@media (min-width: 68rem) {
body { padding-left: 15rem }
.site-header { position: fixed; inset: 0 auto 0 0; width: 15rem; flex-direction: column; flex-wrap: nowrap; align-items: flex-start; justify-content: flex-start; gap: 2.5rem; padding: 2rem 1.5rem; border-right: 1px solid var(--line); border-bottom: 0; overflow-y: auto }
.site-header .brand { flex-direction: column; align-items: flex-start }
.site-nav { flex-direction: column; font-family: var(--heading-font); font-size: .95rem }
}
`,
};

export const footer = `.site-footer { background: var(--deep); color: var(--on-deep); padding-block: clamp(2.5rem, 6vw, 4.5rem) }
.site-footer a { color: inherit }
.footer-body { display: grid; gap: 1.5rem 3rem }
.footer-body { min-width: 0 }
.footer-body .brand { font-size: 1.5rem; overflow-wrap: anywhere }
.footer-body nav { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem }
.footer-body nav a { padding-block: .4rem }
.footer-body .fine { font-size: .95rem }
@media (min-width: 60rem) { .footer-body { grid-template-columns: 1fr auto; align-items: start } .footer-body .facts { grid-row: span 3 } }
`;
