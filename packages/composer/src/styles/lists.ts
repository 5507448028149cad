/** The layouts of lists, galleries, forms and facts. */
export const lists = `.list { display: grid; gap: clamp(1.25rem, 3vw, 2rem) }
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
.form-and-facts { display: grid; gap: clamp(2rem, 6vw, 5rem) }
@media (min-width: 44rem) { .list-tiles { grid-template-columns: 1fr 1fr } .list-rows > li { grid-template-columns: minmax(10rem, 1fr) 2fr } .list-numbered { grid-template-columns: 1fr 1fr } .list-checks { grid-template-columns: 1fr 1fr } }
@media (min-width: 60rem) { .list-tiles { grid-template-columns: repeat(3, 1fr) } .list-tiles > li:first-child, .list-tiles > li:nth-child(4n) { grid-column: span 2 } .gallery-list { grid-template-columns: repeat(4, 1fr) } .gallery-mosaic { grid-template-columns: 2fr 1fr 1fr } .gallery-mosaic > li:first-child { grid-row: span 2 } .gallery-mosaic > li:last-child { grid-column: span 2 } .gallery-mosaic > li:last-child img { aspect-ratio: 2 / 1 } .form-and-facts:has(.facts) { grid-template-columns: 1.4fr 1fr } }
@media (min-width: 60rem) { .gallery-strip { grid-template-columns: 3fr 2fr 2fr 3fr } .gallery-strip img { aspect-ratio: auto; min-height: 20rem } }
`;
