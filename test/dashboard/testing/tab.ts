import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const timeoutMs = 120_000;

/** Colors apply at once, and placeholders that wait are not drawn sixty times a second. */
const withoutMotion = { reducedMotion: 'reduce' } as const;

/** Windows that tests of this file have closed, by their options: the scripts of the dashboard are in their caches. */
const closed = new Map<string, BrowserContext[]>();

/** A tab in a window without cookies. It collects browser errors. */
export class Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly #options: string;
  /** Script errors, failed loads and Content-Security-Policy reports. */
  readonly browserErrors: string[] = [];

  private constructor(context: BrowserContext, page: Page, options: string) {
    this.context = context;
    this.page = page;
    this.#options = options;
    page.setDefaultTimeout(timeoutMs);
    page.on('pageerror', (error) => this.browserErrors.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      const isOfApi = new URL(message.location().url || 'about:blank').pathname.startsWith('/api/');
      // The browser logs error responses of the API as errors; they are expected.
      if (['error', 'warning'].includes(message.type()) && !isOfApi) this.browserErrors.push(`${page.url()}: ${message.text()}`);
    });
  }

  static async open(browser: Browser, baseURL: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const all = { baseURL, permissions: ['clipboard-read', 'clipboard-write'], ...withoutMotion, ...options };
    const key = JSON.stringify(all);
    const known = closed.get(key)?.pop();
    const context = known ?? (await browser.newContext(all));
    const tab = new Tab(context, await context.newPage(), key);
    if (known !== undefined) await tab.#forget(baseURL);
    return tab;
  }

  async #forget(origin: string): Promise<void> {
    await this.context.clearCookies();
    const devTools = await this.context.newCDPSession(this.page);
    await devTools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb' });
    await devTools.detach();
  }

  /** Signs the tab in with a person's cookies. */
  async signInAs({ cookies }: { cookies: ReadonlyMap<string, string> }, origin: string): Promise<void> {
    const { hostname: domain } = new URL(origin);
    await this.context.addCookies([...cookies].map(([name, value]) => ({ name, value, domain, path: '/', secure: true, httpOnly: true })));
  }

  /** Opens a page and waits until it has loaded. */
  async goTo(path: string): Promise<void> {
    await this.page.goto(path);
    await this.waitUntilLoaded();
  }

  async waitUntilLoaded(): Promise<void> {
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    await this.page.locator('.skeleton').first().waitFor({ state: 'detached' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.context.pages().map((page) => page.close()));
    closed.set(this.#options, [...(closed.get(this.#options) ?? []), this.context]);
  }
}
