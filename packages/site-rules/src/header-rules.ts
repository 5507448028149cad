import { type Path, PathPattern } from './path-pattern.ts';
import type { HeaderRule } from './rule.ts';

/** Gateways and browsers refuse responses whose headers are far larger. */
const maxBytes = 8 * 1024;

/** Rules of `_headers`. Of two rules with the same header, the later one counts. */
export class HeaderRules {
  readonly #rules: readonly { readonly pattern: PathPattern; readonly headers: HeaderRule['headers'] }[];

  constructor(rules: readonly HeaderRule[]) {
    this.#rules = rules.map(({ for: from, headers }) => ({ pattern: new PathPattern(from), headers }));
  }

  /**
   * The headers of a path by their names in lower case; an empty value takes a header away. Undefined if no rule
   * matches. At most 8 KB: what is beyond is left out.
   */
  headersOf(path: Path): ReadonlyMap<string, { readonly name: string; readonly value: string }> | undefined {
    const headers = new Map<string, { name: string; value: string }>();
    let bytes = 0;
    for (const rule of this.#rules) {
      if (rule.pattern.match(path) === undefined) continue;
      for (const { name, value } of rule.headers) {
        bytes += name.length + value.length;
        if (bytes <= maxBytes) headers.set(name.toLowerCase(), { name, value });
      }
    }
    return headers.size === 0 ? undefined : headers;
  }
}
