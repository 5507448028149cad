/** What pages do in a browser, besides Starlight: the platform's own address, and pieces of code to choose from. */

/** Stands for the platform in all pages, which are built once for every platform. */
const placeholder = 'https://webkiln.example';
const written = (text: string) => text.replaceAll(placeholder, location.origin);
const names = (node: Node | null) => node?.textContent?.includes(placeholder) === true;

function writeAddress(main: Element): void {
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) if (names(node)) node.nodeValue = written(node.nodeValue ?? '');
  // Where colors divide the address.
  for (const line of main.querySelectorAll('.ec-line .code')) if (names(line)) line.textContent = written(line.textContent ?? '');
  for (const link of main.querySelectorAll(`a[href^="${placeholder}"]`))
    link.setAttribute('href', written(link.getAttribute('href') ?? ''));
  for (const button of main.querySelectorAll('[data-code]'))
    button.setAttribute('data-code', written(button.getAttribute('data-code') ?? ''));
}

const storedChoice = 'webkiln-docs-code';

/** Makes tabs of the pieces of a choice (WAI-ARIA tabs). The language that was chosen last is shown on every page. */
function makeTabs(group: HTMLElement, number: number): void {
  const panels = [...group.querySelectorAll<HTMLElement>(':scope > .expressive-code')];
  const names = panels.map((panel) => panel.querySelector('.title')?.textContent ?? '');
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const tabs = panels.map((panel, at) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.textContent = names[at] ?? '';
    tab.id = `tab-${number}-${at}`;
    panel.id = `panel-${number}-${at}`;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    return tab;
  });
  const show = (chosen: number) => {
    for (const [at, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(at === chosen));
      tab.tabIndex = at === chosen ? 0 : -1;
      panels[at]?.classList.toggle('shown', at === chosen);
    }
  };
  const choose = (chosen: number) => {
    show(chosen);
    tabs[chosen]?.focus();
    localStorage.setItem(storedChoice, names[chosen] ?? '');
  };
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener('click', () => choose(at));
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (step !== undefined) choose((at + step + tabs.length) % tabs.length);
    });
  }
  list.append(...tabs);
  group.prepend(list);
  group.classList.add('ready');
  show(Math.max(0, names.indexOf(localStorage.getItem(storedChoice) ?? '')));
}

const main = document.querySelector('main');
if (main !== null) writeAddress(main);
for (const [number, group] of document.querySelectorAll<HTMLElement>('.choice').entries()) makeTabs(group, number);
