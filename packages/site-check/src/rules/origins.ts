import type { Finding } from '../finding.ts';
import type { PageElement, ParsedPage } from '../parsed-page.ts';
import { foreignOrigin } from './links.ts';

const loaded = ({ tag, attributes }: PageElement): string | undefined => {
  if (tag === 'script' || tag === 'iframe' || tag === 'embed') return attributes.get('src');
  if (tag === 'object') return attributes.get('data');
  return tag === 'link' && /\b(?:stylesheet|modulepreload|preload)\b/i.test(attributes.get('rel') ?? '')
    ? attributes.get('href')
    : undefined;
};

const finding = (path: string, line: number, origin: string): Finding => ({
  path,
  rule: 'foreign-origin',
  line,
  message: `Something is loaded from ${origin}; keep scripts, styles and frames on the site itself.`,
});

/** Scripts, styles and frames come from this site, or from an origin that the user named. */
export function* checkOrigins({ path, elements }: ParsedPage, allowed: ReadonlySet<string>): Generator<Finding> {
  for (const element of elements) {
    const reference = loaded(element);
    const origin = reference === undefined ? undefined : foreignOrigin(path, reference);
    if (origin !== undefined && !allowed.has(origin)) yield finding(path, element.line, origin);
  }
}

/** A style sheet imports nothing from an origin that the user did not name. */
export function* checkStyleOrigins(path: string, css: string, allowed: ReadonlySet<string>): Generator<Finding> {
  for (const [, reference = ''] of css.matchAll(/@import\s+(?:url\(\s*)?["']?([^"')\s;]+)/gi)) {
    const origin = foreignOrigin(path, reference);
    if (origin !== undefined && !allowed.has(origin)) yield finding(path, 1, origin);
  }
}
