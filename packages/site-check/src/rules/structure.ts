import type { Finding } from '../finding.ts';
import { maxParseErrors, type PageElement, type ParsedPage } from '../parsed-page.ts';

/** The page is valid HTML as far as a parser can tell. */
export function* checkParsing({ path, parseErrors, elements }: ParsedPage): Generator<Finding> {
  for (const { code, line } of parseErrors) {
    yield { path, rule: 'html-parses', line, message: `The HTML has an error: ${code.replaceAll('-', ' ')}.` };
  }
  for (const { tag, line } of elements
    .values()
    .filter(({ isUnclosed }) => isUnclosed)
    .take(maxParseErrors)) {
    yield { path, rule: 'html-parses', line, message: `<${tag}> is not closed, or is closed in the wrong place.` };
  }
}

const hasText = (element: PageElement | undefined, attribute: string) => (element?.attributes.get(attribute) ?? '').trim() !== '';

/** Languages and scripts that run from right to left; a Latin script after one of them does not. */
const rightToLeft = /^(?:ar|arc|ckb|dv|fa|he|iw|ks|ps|sd|syr|ug|ur|yi)(?:-(?!Latn)|$)|-(?:Arab|Hebr|Syrc|Thaa)(?:-|$)/i;

/** Language, its direction, title, one h1, and ids that are unique. */
export function* checkStructure({ path, elements }: ParsedPage): Generator<Finding> {
  const root = elements.find(({ tag }) => tag === 'html');
  if (!hasText(root, 'lang')) yield { path, rule: 'page-language', message: 'The page does not name its language: add lang to <html>.' };
  const lang = root?.attributes.get('lang')?.trim() ?? '';
  if (rightToLeft.test(lang) && root?.attributes.get('dir')?.toLowerCase() !== 'rtl')
    yield { path, rule: 'page-direction', message: `The language ${lang.slice(0, 40)} runs from right to left: add dir="rtl" to <html>.` };
  if (!elements.some(({ title }) => title.trim() !== '')) yield { path, rule: 'page-title', message: 'The page has no title.' };
  const headings = elements.filter(({ tag }) => tag === 'h1').length;
  if (headings !== 1) yield { path, rule: 'one-heading', message: `The page has ${headings} h1 headings; it needs exactly one.` };
  const seen = new Set<string>();
  for (const { attributes, line } of elements) {
    const id = attributes.get('id');
    if (id === undefined) continue;
    if (seen.has(id)) yield { path, rule: 'unique-id', line, message: `The id "${id.slice(0, 200)}" is used more than once.` };
    seen.add(id);
  }
}

const unlabelled = new Set(['hidden', 'submit', 'button', 'reset', 'image']);

/** Images have an alt attribute (empty for decoration), and fields a label. */
export function* checkAccessibility({ path, elements }: ParsedPage): Generator<Finding> {
  const labelled = new Set(elements.filter(({ tag }) => tag === 'label').flatMap(({ attributes }) => attributes.get('for') ?? []));
  for (const element of elements) {
    const { tag, attributes, line } = element;
    if (tag === 'img' && !attributes.has('alt')) {
      yield { path, rule: 'image-text', line, message: 'An image has no alt text: describe it, or give it alt="" if it is decoration.' };
    }
    const isField =
      tag === 'select' || tag === 'textarea' || (tag === 'input' && !unlabelled.has((attributes.get('type') ?? '').toLowerCase()));
    if (!isField || element.isInLabel || labelled.has(attributes.get('id') ?? '\0')) continue;
    if (['aria-label', 'aria-labelledby', 'title'].some((name) => hasText(element, name))) continue;
    const name = (attributes.get('name') ?? tag).slice(0, 200);
    yield { path, rule: 'input-label', line, message: `The field "${name}" has no label.` };
  }
}
