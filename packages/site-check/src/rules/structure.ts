import type { Finding } from '../finding.ts';
import type { PageElement, ParsedPage } from '../parsed-page.ts';

/** Parse errors of which a browser shows no trace, and which valid pages of other generators have. */
const harmless = new Set(['non-void-html-element-start-tag-with-trailing-slash']);
const maxParseErrors = 5;

/** The page is valid HTML as far as a parser can tell. */
export function checkParsing({ path, parseErrors, elements }: ParsedPage): Finding[] {
  const unclosed = elements
    .filter(({ isUnclosed }) => isUnclosed)
    .slice(0, maxParseErrors)
    .map(
      ({ tag, line }): Finding => ({
        path,
        rule: 'html-parses',
        line,
        message: `<${tag}> is not closed, or is closed in the wrong place.`,
      }),
    );
  const errors = parseErrors
    .filter(({ code }) => !harmless.has(code))
    .slice(0, maxParseErrors)
    .map(
      ({ code, line }): Finding => ({ path, rule: 'html-parses', line, message: `The HTML has an error: ${code.replaceAll('-', ' ')}.` }),
    );
  return [...errors, ...unclosed];
}

const hasText = (element: PageElement | undefined, attribute: string) => (element?.attributes.get(attribute) ?? '').trim() !== '';

/** Language, title, one h1, and ids that are unique. */
export function checkStructure({ path, elements }: ParsedPage): Finding[] {
  const findings: Finding[] = [];
  if (
    !hasText(
      elements.find(({ tag }) => tag === 'html'),
      'lang',
    )
  ) {
    findings.push({ path, rule: 'page-language', message: 'The page does not name its language: add lang to <html>.' });
  }
  if (!elements.some(({ tag, text }) => tag === 'title' && text.trim() !== '')) {
    findings.push({ path, rule: 'page-title', message: 'The page has no title.' });
  }
  const headings = elements.filter(({ tag }) => tag === 'h1').length;
  if (headings !== 1) findings.push({ path, rule: 'one-heading', message: `The page has ${headings} h1 headings; it needs exactly one.` });
  const seen = new Set<string>();
  for (const { attributes, line } of elements) {
    const id = attributes.get('id');
    if (id !== undefined && seen.has(id))
      findings.push({ path, rule: 'unique-id', line, message: `The id "${id}" is used more than once.` });
    if (id !== undefined) seen.add(id);
  }
  return findings;
}

const unlabelled = new Set(['hidden', 'submit', 'button', 'reset', 'image']);

/** Images have an alt attribute (empty for decoration), and fields a label. */
export function checkAccessibility({ path, elements }: ParsedPage): Finding[] {
  const labelled = new Set(elements.filter(({ tag }) => tag === 'label').flatMap(({ attributes }) => attributes.get('for') ?? []));
  return elements.flatMap((element): Finding[] => {
    const { tag, attributes, line } = element;
    if (tag === 'img' && !attributes.has('alt')) {
      return [{ path, rule: 'image-text', line, message: 'An image has no alt text: describe it, or give it alt="" if it is decoration.' }];
    }
    const isField =
      tag === 'select' || tag === 'textarea' || (tag === 'input' && !unlabelled.has((attributes.get('type') ?? '').toLowerCase()));
    const isNamed = ['aria-label', 'aria-labelledby', 'title'].some((name) => hasText(element, name));
    if (!isField || isNamed || element.isInLabel || labelled.has(attributes.get('id') ?? '\0')) return [];
    return [{ path, rule: 'input-label', line, message: `The field "${attributes.get('name') ?? tag}" has no label.` }];
  });
}
