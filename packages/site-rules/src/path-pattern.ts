/** A path as patterns are matched with it: in NFC, cut at its slashes. */
export interface Path {
  readonly text: string;
  /** With an empty one at the end for a slash there. */
  readonly segments: readonly string[];
}

/** Takes a decoded path that begins with a slash. */
export function pathOf(decoded: string): Path {
  const text = decoded.normalize('NFC');
  return { text, segments: text.split('/') };
}

/** A path without the slash at its end, which rules do not tell apart. */
export const withoutSlash = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

const placeholder = /^:([A-Za-z_]\w*)$/;

/**
 * The pattern of a path, as `/blog/:year/*`: a placeholder is one segment, and the `*`, of which there is one at most,
 * any rest. `/blog/*` is `/blog` too. Compared segment by segment, so a match takes linear time whatever the pattern.
 */
export class PathPattern {
  /** True if it matches one path alone. */
  readonly isStatic: boolean;
  readonly text: string;
  readonly #before: readonly string[];
  readonly #after: readonly string[];
  readonly #splat: { readonly prefix: string; readonly suffix: string } | undefined;

  constructor(pattern: string) {
    const segments = withoutSlash(pattern).split('/');
    const at = segments.findIndex((segment) => segment.includes('*'));
    const [prefix = '', suffix = ''] = segments[at]?.split('*') ?? [];
    this.text = segments.join('/');
    this.#before = at === -1 ? segments : segments.slice(0, at);
    this.#after = at === -1 ? [] : segments.slice(at + 1);
    this.#splat = at === -1 ? undefined : { prefix, suffix };
    this.isStatic = at === -1 && !segments.some((segment) => placeholder.test(segment));
  }

  /** What the placeholders and the `*` (named "splat") stand for in a path; undefined if it does not match. */
  match({ text, segments }: Path): ReadonlyMap<string, string> | undefined {
    const isOpen = this.#splat !== undefined && this.#after.length === 0;
    const end = !isOpen && segments.length > 2 && segments.at(-1) === '' ? segments.length - 1 : segments.length;
    const [before, after] = [this.#before.length, this.#after.length];
    const values = new Map<string, string>();
    if (this.#splat === undefined ? end !== before : end < before + after) return undefined;
    if (!matchAll(this.#before, segments, 0, values) || !matchAll(this.#after, segments, end - after, values)) return undefined;
    if (this.#splat === undefined) return values;
    const { prefix, suffix } = this.#splat;
    const start = lengthOf(segments, 0, before);
    const rest = text.slice(start, text.length - (end < segments.length ? 1 : 0) - lengthOf(segments, end - after, end));
    if (rest.length < prefix.length + suffix.length || !rest.startsWith(prefix) || !rest.endsWith(suffix)) return undefined;
    return values.set('splat', rest.slice(prefix.length, rest.length - suffix.length));
  }
}

/** The characters of some segments, each with a slash. */
function lengthOf(segments: readonly string[], from: number, to: number): number {
  let length = 0;
  for (let at = from; at < to; at++) length += (segments[at] ?? '').length + 1;
  return length;
}

function matchAll(patterns: readonly string[], segments: readonly string[], from: number, values: Map<string, string>): boolean {
  return patterns.every((pattern, at) => {
    const segment = segments[from + at] ?? '';
    if (pattern === segment) return true;
    const name = segment === '' ? undefined : placeholder.exec(pattern)?.[1];
    if (name !== undefined) values.set(name, segment);
    return name !== undefined;
  });
}
