import { type Context, createContext, runInContext } from 'node:vm';
import { minified } from '../tracker/minified.ts';

interface Sent {
  readonly events: readonly { id: string; path: string; referrer: string; at: number }[];
  readonly beacon: boolean;
}

interface Options {
  readonly referrer?: string;
  readonly prerendering?: boolean;
  readonly navigator?: Readonly<Record<string, unknown>>;
  /** What a request is answered with; undefined where the network is gone. */
  readonly status?: () => number | undefined;
}

/** As much of a page as the tracker touches, in a context of its own, and what it sends. Timers run when the test says so. */
export class TrackedPage {
  readonly sent: Sent[] = [];
  readonly document: EventTarget & { referrer: string; prerendering: boolean };
  readonly location = { pathname: '/' };
  /** How long the tracker wants to wait, and what for. */
  readonly timers: { ms: number; run: () => void }[] = [];
  readonly history: Record<'pushState' | 'replaceState', (state: unknown, title: string, url: string) => void>;
  readonly #window = new EventTarget();
  readonly #context: Context;

  constructor({ referrer = '', prerendering = false, navigator = {}, status = () => 204 }: Options = {}) {
    this.document = Object.assign(new EventTarget(), { referrer, prerendering });
    const go = (_state: unknown, _title: string, url: string) => {
      this.location.pathname = new URL(url, 'https://shop.sites.test').pathname;
    };
    this.history = { pushState: go, replaceState: go };
    const window = {
      document: this.document,
      location: this.location,
      history: this.history,
      navigator: { ...navigator, sendBeacon: (_url: string, body: string) => this.#take(body, true) },
    };
    this.#context = createContext({
      window,
      crypto,
      Date,
      Request,
      Uint32Array,
      addEventListener: this.#window.addEventListener.bind(this.#window),
      setTimeout: (run: () => void, ms: number) => void this.timers.push({ run, ms }),
      fetch: async (_url: string, { body }: { body: string }) => {
        this.#take(body, false);
        const answered = status();
        if (answered === undefined) throw new TypeError('Failed to fetch');
        return { status: answered };
      },
    });
    this.loadTracker();
  }

  /** As the page does that has the script, each time that it has it. */
  loadTracker(): void {
    runInContext(minified, this.#context);
  }

  /** The paths of all that was sent, in order. */
  get paths(): string[] {
    return this.sent.flatMap(({ events }) => events.map(({ path }) => path));
  }

  /** Something happens to the window, as `popstate` after the browser has moved. */
  happens(type: string, properties: Readonly<Record<string, unknown>> = {}): void {
    this.#window.dispatchEvent(Object.assign(new Event(type), properties));
  }

  /** Lets answers arrive, then the time of what was put off pass. */
  async later(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (const { run } of this.timers.splice(0)) run();
    await new Promise((resolve) => setImmediate(resolve));
  }

  #take(body: string, beacon: boolean): boolean {
    this.sent.push({ ...(JSON.parse(body) as Pick<Sent, 'events'>), beacon });
    return true;
  }
}
