import { writeFileSync } from 'node:fs';
import { eventually } from '../harness/agency.ts';
import type { Session } from './session.ts';

const timeoutMs = 60_000;
/** More is no way through a page for somebody without a mouse. */
const maxTabs = 60;

const inQuotes = (text: string) => (text.includes("'") ? `"${text}"` : `'${text}'`);
const button = (name: string) =>
  `//*[self::button or self::a or @role='tab'][normalize-space(.)=${inQuotes(name)} or @aria-label=${inQuotes(name)}]`;
const field = (label: string) => `//*[@id=//label[starts-with(normalize-space(.), ${inQuotes(label)})]/@for]`;

/** The name of what has the focus, as assistive technology reads it. */
const focused = `const e = document.activeElement;
  const named = (e.getAttribute('aria-labelledby') || '').split(' ').map((id) => document.getElementById(id)?.innerText ?? '').join(' ').trim();
  return e.getAttribute('aria-label') || [...(e.labels || [])].map((label) => label.innerText).join(' ') || named || e.innerText || '';`;

/** A person at a browser, by pointer or by keyboard. */
export class User {
  readonly session: Session;
  /** The headings of the pages that were shown, in their order. */
  readonly screens: string[] = [];

  constructor(session: Session) {
    this.session = session;
  }

  /** Opens an address, and waits for the heading of its page. */
  async open(url: string, heading: string): Promise<void> {
    await this.session.goTo(url);
    await this.sees(heading);
  }

  /** Waits for a page with this heading. */
  async sees(heading: string): Promise<void> {
    await this.#shown(`//h1[contains(normalize-space(.), ${inQuotes(heading)})]`);
    this.screens.push(heading);
  }

  async reads(text: string): Promise<void> {
    await this.#shown(`//*[contains(normalize-space(.), ${inQuotes(text)})]`);
  }

  async clicks(name: string): Promise<void> {
    await this.session.click(await this.#shown(button(name)));
  }

  async fills(label: string, text: string): Promise<void> {
    await this.session.type(await this.#shown(field(label)), text);
  }

  /** Gives files to an input that a button opens, whose window of the system no driver can use. */
  async brings(selector: string, path: string): Promise<void> {
    await this.session.type(await this.#shown(selector), path);
  }

  /** The address of the published site that the page links to. */
  async siteAddress(): Promise<string> {
    return String(await this.session.run('return arguments[0].href', await this.#shown("//a[contains(@href, '.sites.')]")));
  }

  /** Moves the focus by Tab to what has this name. */
  async tabsTo(name: string): Promise<void> {
    await eventually(async () => {
      const passed: string[] = [];
      for (let tabs = 0; tabs < maxTabs; tabs++) {
        const at = String(await this.session.run(focused)).trim();
        if (at === name || at.startsWith(`${name}\n`)) return;
        passed.push(at.slice(0, 20));
        await this.session.press('Tab');
      }
      throw new Error(`no Tab leads to ${name}; passed ${passed.join(', ')}`);
    }, timeoutMs);
  }

  async typesInto(name: string, text: string): Promise<void> {
    await this.tabsTo(name);
    await this.session.strike(text);
  }

  async presses(name: string): Promise<void> {
    await this.tabsTo(name);
    await this.session.press('Enter');
  }

  /** Keeps what is shown, for people who look for the cause of a failure. */
  async keep(file: string): Promise<void> {
    writeFileSync(file, await this.session.screenshot());
  }

  #shown(xpath: string): Promise<Record<string, string>> {
    return eventually(async () => {
      // What lies over the page comes last.
      const found = (await this.session.find(xpath)).at(-1);
      if (found === undefined) throw new Error(`nothing is at ${xpath}`);
      return found;
    }, timeoutMs);
  }
}
