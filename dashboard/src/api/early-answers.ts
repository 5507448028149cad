declare global {
  /** What was asked before the code of the page was there, by address; undefined for what is asked by it. */
  var earlyAnswers: Map<string, Promise<Response> | undefined> | undefined;
}

globalThis.earlyAnswers ??= new Map();
const answers = globalThis.earlyAnswers;
/** A page opens in less time; what nobody has taken then is old. */
const maxAgeMs = 10_000;
const isOpening = () => performance.now() < maxAgeMs;

/** Asks for a path of the API, unless the page did; returns the JSON of a success. */
export async function askEarly(path: string): Promise<unknown> {
  const url = `${location.origin}/api/v1${path}`;
  if (answers.has(url) || !isOpening()) return undefined;
  const asked = fetch(url);
  answers.set(url, asked);
  const answer = await asked.catch(() => undefined);
  return answer?.ok ? answer.clone().json() : undefined;
}

/** The answer to a GET that was asked for early, once; undefined if there is none. */
export async function takeEarly(url: string): Promise<Response | undefined> {
  if (!isOpening()) return undefined;
  const early = answers.get(url);
  answers.set(url, undefined);
  return early?.catch(() => undefined);
}
