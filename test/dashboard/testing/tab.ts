import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const timeoutMs = 120_000;

/** A tab of a browser of its own, without anybody's cookies. What the browser complains of is kept. */
export class Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, failed loads, reports of the Content-Security-Policy. */
  readonly complaints: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.setDefaultTimeout(timeoutMs);
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      const isOfApi = new URL(message.location().url || 'about:blank').pathname.startsWith('/api/');
      // That the API refuses something is an answer, though the browser calls it an error.
      if (['error', 'warning'].includes(message.type()) && !isOfApi) this.complaints.push(`${page.url()}: ${message.text()}`);
    });
  }

  static async open(browser: Browser, baseURL: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const context = await browser.newContext({ baseURL, permissions: ['clipboard-read', 'clipboard-write'], ...options });
    return new Tab(context, await context.newPage());
  }

  /** From now on it is somebody's who has signed in. */
  async actAs({ cookies }: { cookies: ReadonlyMap<string, string> }, origin: string): Promise<void> {
    const { hostname: domain } = new URL(origin);
    await this.context.addCookies([...cookies].map(([name, value]) => ({ name, value, domain, path: '/', secure: true, httpOnly: true })));
  }

  /** Goes to a page and waits until everything on it is there. */
  async goTo(path: string): Promise<void> {
    await this.page.goto(path);
    await this.settled();
  }

  async settled(): Promise<void> {
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    await this.page.locator('.skeleton').first().waitFor({ state: 'detached' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
