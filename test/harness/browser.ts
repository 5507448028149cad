import { chromium, supplyProgram } from '@webkiln/infra';
import { type BrowserContext, type BrowserContextOptions, chromium as driver, type Page } from 'playwright-core';

/** What people's browsers say that they are; a headless one says so, and is counted as the robot that it is. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

/** Only bounds how long a failure takes. */
const patienceMs = 120_000;

/** The path of a Chromium; where there is none it is fetched, and what that waits for is told on stderr. */
export const chromiumPath = (): Promise<string> => supplyProgram(chromium, (part, text) => process.stderr.write(`${part}: ${text}\n`));

/** A browser, which leads `*.localhost` to this machine by itself. */
export const openBrowser = async () =>
  driver.launch({ executablePath: await chromiumPath(), args: ['--disable-gpu'], timeout: patienceMs });

type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** Somebody with a browser window of his own, and what went wrong in it: messages of the console, errors of scripts, answers of 400 and above. */
export class Person {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly complaints: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.complaints.push(`script: ${error.message}`));
    page.on('response', (response) => {
      if (response.status() >= 400) this.complaints.push(`${response.status()} ${response.url()}`);
    });
  }

  static async arrives(browser: Browser, options: BrowserContextOptions = {}): Promise<Person> {
    const context = await browser.newContext({ userAgent, ...options });
    context.setDefaultTimeout(patienceMs);
    return new Person(context, await context.newPage());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
