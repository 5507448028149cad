/** Rules that all directions share. */
export const base = `*, *::before, *::after { box-sizing: border-box }
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
@media (min-width: 52rem) { .about-body { grid-template-columns: 1.1fr 1fr } .hero + .about .media, .about:nth-of-type(even) .media { order: -1 } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } .button { transition: background-color .15s, color .15s } @view-transition { navigation: auto } }
@media print { .site-nav, .form, .actions, .skip, .media { display: none } .section { padding-block: 1rem; break-inside: avoid } body, .section { background: #fff !important; color: #000 !important } h1 { font-size: 2rem } }
`;
