import { type ChildProcess, spawn } from 'node:child_process';
import { firefox, geckodriver, supplyProgram, webkitDriver } from '@webkiln/dev-platform';
import { eventually } from '../harness/agency.ts';

const report = (part: string, text: string) => process.stderr.write(`${part}: ${text}\n`);
const port = 4_445;
const timeoutMs = 60_000;

export const browserNames = ['firefox', 'webkit'] as const;
export type BrowserName = (typeof browserNames)[number];

/** The key of a reference to an element: W3C WebDriver, §12. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';
const keys = { Tab: '\uE004', Enter: '\uE007', Right: '\uE014', Space: ' ' } as const;
export type KeyName = keyof typeof keys;

async function driverOf(browser: BrowserName) {
  if (browser === 'webkit') {
    const capabilities = { 'webkitgtk:browserOptions': { args: ['--automation'] } };
    return { program: await supplyProgram(webkitDriver, report), args: [`--port=${port}`], capabilities };
  }
  const binary = await supplyProgram(firefox, report);
  const capabilities = { browserName: 'firefox', 'moz:firefoxOptions': { binary, args: ['-headless'] } };
  return { program: await supplyProgram(geckodriver, report), args: ['--port', String(port)], capabilities };
}

/** A browser that is driven by W3C WebDriver, which Firefox and WebKit both speak. */
export class Session implements AsyncDisposable {
  static async start(browser: BrowserName): Promise<Session> {
    const { program, args, capabilities } = await driverOf(browser);
    const driver = spawn(program, args, { stdio: 'ignore' });
    await eventually(() => ask('GET', '/status'), timeoutMs);
    const { sessionId } = (await ask('POST', '/session', { capabilities: { alwaysMatch: capabilities } })) as { sessionId: string };
    return new Session(driver, `/session/${sessionId}`);
  }

  readonly #driver: ChildProcess;
  readonly #path: string;

  private constructor(driver: ChildProcess, path: string) {
    this.#driver = driver;
    this.#path = path;
  }

  goTo(url: string): Promise<unknown> {
    return this.#post('/url', { url });
  }

  /** Runs the body of a function in the page; returns what it returns. */
  run(script: string, ...args: unknown[]): Promise<unknown> {
    return this.#post('/execute/sync', { script, args });
  }

  /** The elements of an XPath, as references that `run` takes. */
  async find(xpath: string): Promise<Record<string, string>[]> {
    return (await this.#post('/elements', { using: 'xpath', value: xpath })) as Record<string, string>[];
  }

  async click(element: Readonly<Record<string, string>>): Promise<void> {
    await this.#post(`/element/${element[elementKey]}/click`, {});
  }

  async type(element: Readonly<Record<string, string>>, text: string): Promise<void> {
    await this.#post(`/element/${element[elementKey]}/value`, { text });
  }

  /** Presses a key in what has the focus. */
  press(key: KeyName): Promise<void> {
    return this.#strike(keys[key]);
  }

  /** Types a text into what has the focus. */
  strike(text: string): Promise<void> {
    return this.#strike(text);
  }

  /** Ends the session of the browser's user, as a new browser begins. */
  forget(): Promise<unknown> {
    return ask('DELETE', `${this.#path}/cookie`);
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from(String(await ask('GET', `${this.#path}/screenshot`)), 'base64');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await ask('DELETE', this.#path).catch(() => undefined);
    this.#driver.kill();
  }

  async #strike(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#post('/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  #post(path: string, body: unknown): Promise<unknown> {
    return ask('POST', this.#path + path, body);
  }
}

async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...sent, signal: AbortSignal.timeout(timeoutMs) });
  const { value } = (await response.json()) as { value: { message?: string } };
  if (!response.ok) throw new Error(`${method} ${path}: ${value?.message}`);
  return value;
}
