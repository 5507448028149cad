import { type Context, createContext, runInContext } from 'node:vm';
import { minified } from '../tracker/minified.ts';

interface Sent {
  readonly events: readonly { id: string; path: string; referrer: string; at: number }[];
  readonly beacon: boolean;
}

interface Options {
  readonly referrer?: string;
  /** The page's query, with its question mark. */
  readonly search?: string;
  readonly prerendering?: boolean;
  readonly navigator?: Readonly<Record<string, unknown>>;
  /** The status of each response; undefined simulates a lost network. */
  readonly status?: () => number | undefined;
}

/** Simulates what the tracker uses of a page, and records what it sends. Tests decide when timers run. */
export class TrackedPage {
  readonly sent: Sent[] = [];
  readonly document: EventTarget & { referrer: string; prerendering: boolean };
  readonly location: { pathname: string; search: string };
  /** The tracker's pending timers. */
  readonly timers: { ms: number; run: () => void }[] = [];
  readonly history: Record<'pushState' | 'replaceState', (state: unknown, title: string, url: string) => void>;
  readonly #window = new EventTarget();
  readonly #context: Context;

  constructor({ referrer = '', search = '', prerendering = false, navigator = {}, status = () => 204 }: Options = {}) {
    this.location = { pathname: '/', search };
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
      URLSearchParams,
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

  /** Runs the tracker's script, as each script element of a page does. */
  loadTracker(): void {
    runInContext(minified, this.#context);
  }

  /** The paths of all views that were sent, in order. */
  get paths(): string[] {
    return this.sent.flatMap(({ events }) => events.map(({ path }) => path));
  }

  /** Dispatches an event on the window, for example `popstate`. */
  happens(type: string, properties: Readonly<Record<string, unknown>> = {}): void {
    this.#window.dispatchEvent(Object.assign(new Event(type), properties));
  }

  /** Delivers pending responses, then runs all timers. */
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
