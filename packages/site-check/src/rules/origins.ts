import type { Finding } from '../finding.ts';
import type { PageElement, ParsedPage } from '../parsed-page.ts';
import { foreignOrigin } from './links.ts';

/** A reference to another place, and what becomes of it. `%` is its origin. */
type Reference = readonly [reference: string, message: string];

const isLoaded = 'Something is loaded from %; keep scripts, styles and frames on the site itself.';
const isBase = 'All relative links and files of the page lead to %; take the base element out.';
const isSent = 'The form sends what visitors write to %; let it post to /_forms/ on the site itself.';
const isRefreshed = 'The page sends its visitors on to %; let them follow a link.';
const isCalled = 'A script loads code from % or sends data there; keep scripts on the site itself.';

const loaders = new Map([
  ['script', 'src'],
  ['iframe', 'src'],
  ['embed', 'src'],
  ['object', 'data'],
]);
const isLoadingLink = ({ attributes }: PageElement) => /\b(?:stylesheet|modulepreload|preload)\b/i.test(attributes.get('rel') ?? '');

function* referencesOf(element: PageElement): Generator<Reference> {
  const { tag, attributes, script } = element;
  const named = (name: string | undefined, message: string): Reference[] => {
    const reference = name === undefined ? undefined : attributes.get(name);
    return reference === undefined ? [] : [[reference, message]];
  };
  yield* named(loaders.get(tag), isLoaded);
  if (tag === 'link' && isLoadingLink(element)) yield* named('href', isLoaded);
  if (tag === 'base') yield* named('href', isBase);
  if (tag === 'form') yield* named('action', isSent);
  if (tag === 'button' || tag === 'input') yield* named('formaction', isSent);
  if (tag === 'meta' && attributes.get('http-equiv')?.toLowerCase() === 'refresh') {
    const [, target] = /url\s*=\s*["']?([^"']+)/i.exec(attributes.get('content') ?? '') ?? [];
    if (target !== undefined) yield [target.trim(), isRefreshed];
  }
  yield* calledIn(script);
  for (const [name, code] of attributes) if (name.startsWith('on')) yield* calledIn(code);
}

/** Imports, requests and beacons whose address stands in the code. Code that puts one together is not found. */
function* calledIn(code: string): Generator<Reference> {
  if (code === '') return;
  const imports = code.matchAll(/\b(?:from|import)\s*["']([^"']+)/g);
  const calls = code.matchAll(/\b(?:import|fetch|sendBeacon)\s*\(\s*["'`]([^"'`]+)/g);
  for (const found of [imports, calls]) yield* found.map(([, reference = '']): Reference => [reference, isCalled]);
}

function* foreign(path: string, line: number, references: Iterable<Reference>, allowed: ReadonlySet<string>): Generator<Finding> {
  for (const [reference, message] of references) {
    const origin = foreignOrigin(path, reference);
    if (origin !== undefined && !allowed.has(origin)) yield { path, rule: 'foreign-origin', line, message: message.replace('%', origin) };
  }
}

/**
 * Scripts, styles and frames come from this site, and what visitors write goes to it, or to an origin that the user
 * named.
 */
export function* checkOrigins({ path, elements }: ParsedPage, allowed: ReadonlySet<string>): Generator<Finding> {
  for (const element of elements) yield* foreign(path, element.line, referencesOf(element), allowed);
}

/** A style sheet imports nothing from an origin that the user did not name. */
export function* checkStyleOrigins(path: string, css: string, allowed: ReadonlySet<string>): Generator<Finding> {
  const imports = css.matchAll(/@import\s+(?:url\(\s*)?["']?([^"')\s;]+)/gi);
  yield* foreign(
    path,
    1,
    imports.map(([, reference = '']): Reference => [reference, isLoaded]),
    allowed,
  );
}

/** A script loads nothing from an origin that the user did not name, and sends nothing there. */
export const checkScriptOrigins = (path: string, code: string, allowed: ReadonlySet<string>): Generator<Finding> =>
  foreign(path, 1, calledIn(code), allowed);
