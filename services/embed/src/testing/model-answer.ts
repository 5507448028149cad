/** What a scripted model says to one request: text and calls of tools, or a way to fail. */
export interface ModelAnswer {
  readonly text?: string;
  /** `input` as text is sent as it is, so it may be no JSON. */
  readonly calls?: readonly { readonly name: string; readonly input: object | string }[];
  readonly finish?: string;
  /** null: the provider states no usage. */
  readonly usage?: { readonly input: number; readonly output: number } | null;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** With `status`. */
  readonly body?: object;
  /** The answer as it is on the wire, in place of text and calls. */
  readonly wire?: { readonly type: string; readonly text: string };
  /** The time before each event; 0 by default. */
  readonly pauseMs?: number;
  /** What follows text and calls instead of the end: silence, a cut connection, an error event, or text for ever. */
  readonly fails?: 'hang' | 'cut' | 'error' | 'endless';
}
