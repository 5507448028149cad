import { type Path, PathPattern, withoutSlash } from './path-pattern.ts';
import type { RedirectRule } from './rule.ts';

interface Request {
  readonly path: Path;
  /** With its `?`, or empty. */
  readonly query: string;
  /** The host that was asked, without its port. */
  readonly host: string;
}

/** Where to send the visitor, or the path whose file to show, decoded. */
type Answer = { readonly status: number } & ({ readonly location: string } | { readonly path: string });

interface CompiledRule {
  readonly rule: RedirectRule;
  readonly pattern: PathPattern;
  readonly order: number;
}

/** Rules of `_redirects`; the first that matches a request answers it. Rules for one path cost one look-up together. */
export class Redirects {
  readonly #static = new Map<string, CompiledRule[]>();
  readonly #dynamic: CompiledRule[] = [];

  constructor(rules: readonly RedirectRule[]) {
    for (const [order, rule] of rules.entries()) {
      const pattern = new PathPattern(rule.from);
      const compiled = { rule, pattern, order };
      if (!pattern.isStatic) this.#dynamic.push(compiled);
      else this.#static.set(pattern.text, [...(this.#static.get(pattern.text) ?? []), compiled]);
    }
  }

  answer(request: Request): Answer | undefined {
    const fixed = this.#static.get(withoutSlash(request.path.text)) ?? [];
    let at = 0;
    for (const dynamic of this.#dynamic) {
      for (; at < fixed.length && (fixed[at]?.order ?? 0) < dynamic.order; at++) {
        const answer = answerOf(fixed[at], request);
        if (answer !== undefined) return answer;
      }
      const answer = answerOf(dynamic, request);
      if (answer !== undefined) return answer;
    }
    for (; at < fixed.length; at++) {
      const answer = answerOf(fixed[at], request);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
}

function answerOf(compiled: CompiledRule | undefined, request: Request): Answer | undefined {
  if (compiled === undefined) return undefined;
  const { rule, pattern } = compiled;
  if (rule.host !== '' && rule.host !== request.host) return undefined;
  const matched = pattern.match(request.path);
  const values = matched && withQuery(matched, rule.query, request.query);
  if (values === undefined) return undefined;
  const [, origin = '', target = ''] = destination.exec(rule.to) ?? [];
  const filled = target.replace(named, (whole, name: string) => encoded(values.get(name)) ?? whole);
  const { path, query, hash } = partsOf(filled);
  const { status } = rule;
  if (status === 200 || status === 404) return { status, path: decoded(path) };
  // A rule that leads to where the visitor is would send them round for ever.
  const isHere = origin === '' || origin.replace(/^https?:\/\//, '') === request.host;
  if (isHere && withoutSlash(decoded(path)) === withoutSlash(request.path.text)) return undefined;
  return { status, location: `${origin}${path}${query === '' ? request.query : query}${hash}` };
}

/** The origin, which is empty for the site itself, and the rest. */
const destination = /^(https?:\/\/[^/?#]*)?(.*)$/;
const named = /:([A-Za-z_]\w*)/g;
const encoded = (value?: string) => value?.split('/').map(encodeURIComponent).join('/');

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path).normalize('NFC');
  } catch {
    return path;
  }
};

/** The path begins with one slash: with two it would be the address of another host, which visitors could choose. */
function partsOf(target: string) {
  const hashAt = target.indexOf('#');
  const [beforeHash, hash] = hashAt === -1 ? [target, ''] : [target.slice(0, hashAt), target.slice(hashAt)];
  const queryAt = beforeHash.indexOf('?');
  const [path, query] = queryAt === -1 ? [beforeHash, ''] : [beforeHash.slice(0, queryAt), beforeHash.slice(queryAt)];
  return { path: `/${path.replace(/^\/+/, '')}`, query, hash };
}

/** Adds what the parameters of the rule stand for; undefined if the request lacks one. */
function withQuery(
  values: ReadonlyMap<string, string>,
  wanted: RedirectRule['query'],
  query: string,
): ReadonlyMap<string, string> | undefined {
  if (wanted.length === 0) return values;
  const given = new URLSearchParams(query);
  const all = new Map(values);
  for (const { name, value } of wanted) {
    const found = given.get(name);
    if (found === null) return undefined;
    if (value.startsWith(':')) all.set(value.slice(1), found);
    else if (value !== found) return undefined;
  }
  return all;
}
