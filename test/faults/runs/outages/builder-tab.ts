import type { Project } from '@webkiln/contract';
import type { Browser } from 'playwright-core';
import { Tab } from '../../../dashboard/testing/tab.ts';
import type { Person } from '../../../harness/person.ts';

const unread = /^The (conversation cannot be read|builder cannot be opened) right now/;

/** A tab with the builder of a project. */
export class BuilderTab {
  readonly #tab: Tab;
  readonly #origin: string;

  private constructor(tab: Tab, origin: string) {
    this.#tab = tab;
    this.#origin = origin;
  }

  static async open(browser: Browser, origin: string, viewport: { width: number; height: number }): Promise<BuilderTab> {
    return new BuilderTab(await Tab.open(browser, origin, { viewport }), origin);
  }

  get page() {
    return this.#tab.page;
  }

  async openAs(person: Person, { id }: Project): Promise<void> {
    await this.#tab.signInAs(person, this.#origin);
    await this.page.goto(`/builder/${id}`);
  }

  /** Sends a message; resolves with the status of the answer. */
  async say(message: string): Promise<number> {
    const answered = this.page.waitForResponse(/\/chat$/);
    const input = this.page.getByRole('textbox', { name: 'Message' });
    await input.fill(message);
    await input.press('Enter');
    return (await answered).status();
  }

  /** Presses "Try again" where the page says that it cannot be filled: it says so still. */
  async tryAgainInVain(): Promise<void> {
    await this.page.getByText(unread).waitFor();
    await this.page.getByRole('button', { name: 'Try again' }).click();
    await this.page.getByText(unread).waitFor();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tab[Symbol.asyncDispose]();
  }
}
