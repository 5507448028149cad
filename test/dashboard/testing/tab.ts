import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const timeoutMs = 120_000;

/** Colors apply at once, and placeholders that wait are not drawn sixty times a second. */
const withoutMotion = { reducedMotion: 'reduce' } as const;

/** A tab in a new browser context without cookies. It collects browser errors. */
export class Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Script errors, failed loads and Content-Security-Policy reports. */
  readonly browserErrors: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.setDefaultTimeout(timeoutMs);
    page.on('pageerror', (error) => this.browserErrors.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      const isOfApi = new URL(message.location().url || 'about:blank').pathname.startsWith('/api/');
      // The browser logs error responses of the API as errors; they are expected.
      if (['error', 'warning'].includes(message.type()) && !isOfApi) this.browserErrors.push(`${page.url()}: ${message.text()}`);
    });
  }

  static async open(browser: Browser, baseURL: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const context = await browser.newContext({ baseURL, permissions: ['clipboard-read', 'clipboard-write'], ...withoutMotion, ...options });
    return new Tab(context, await context.newPage());
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
    await this.context.close();
  }
}
