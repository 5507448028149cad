import { chromium, supplyProgram } from '@webkiln/dev-platform';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type BrowserServer,
  chromium as driver,
  type Page,
} from 'playwright-core';

/** User agent of a desktop Chrome. The one of a headless Chromium would be counted as a bot. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

/** Generous, because it only bounds how long a failure takes. */
const timeoutMs = 120_000;

/** Returns the path of a Chromium, downloading it if there is none, with progress on stderr. */
export const chromiumPath = (): Promise<string> => supplyProgram(chromium, (part, text) => process.stderr.write(`${part}: ${text}\n`));

const options = async () => ({ executablePath: await chromiumPath(), args: ['--disable-gpu'], timeout: timeoutMs });

const variable = 'WEBKILN_TEST_BROWSER';

/** Starts the Chromium that all suites of a run share; each window has its own cookies and caches. */
export async function startSharedBrowser(): Promise<BrowserServer> {
  const server = await driver.launchServer(await options());
  process.env[variable] = server.wsEndpoint();
  return server;
}

/**
 * A headless Chromium, which resolves `*.localhost` to this machine by itself: the shared one, or, where there is none,
 * one of its own. Closing it closes its windows.
 */
export async function openBrowser(): Promise<Browser> {
  const shared = process.env[variable];
  return shared === undefined ? driver.launch(await options()) : driver.connect(shared, { timeout: timeoutMs });
}

/** Opens the browser for the tests of a file; returns how they get it. */
export function useBrowser(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  return () => browser;
}

/** A browser window with its own cookies. `problems` lists console warnings, script errors and failed responses. */
export class BrowserUser {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly problems: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.problems.push(`script: ${error.message}`));
    page.on('response', (response) => {
      if (response.status() >= 400) this.problems.push(`${response.status()} ${response.url()}`);
    });
  }

  /** Opens an empty window. */
  static async open(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserUser> {
    const context = await browser.newContext({ userAgent, ...options });
    context.setDefaultTimeout(timeoutMs);
    return new BrowserUser(context, await context.newPage());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
