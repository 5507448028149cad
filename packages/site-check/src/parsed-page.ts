import { type DefaultTreeAdapterMap, defaultTreeAdapter, type ParserOptions, parse, html as specification, type TreeAdapter } from 'parse5';
import type { Finding } from './finding.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

export interface PageElement {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly line: number;
  readonly isInLabel: boolean;
  /** True if its end tag is missing although HTML requires one. */
  readonly isUnclosed: boolean;
  /** The text directly in a title; empty for all other elements. */
  readonly title: string;
  /** The code in a script; empty for data that browsers do not run (JSON-LD), and for all other elements. */
  readonly script: string;
}

export interface ParsedPage {
  readonly path: string;
  readonly elements: readonly PageElement[];
  readonly ids: ReadonlySet<string>;
  /** The first errors of which a browser shows a trace. */
  readonly parseErrors: readonly { readonly code: string; readonly line: number }[];
}

const isElement = (node: Node): node is Element => 'tagName' in node;
const childrenOf = (node: Node): readonly Node[] =>
  isElement(node) && 'content' in node
    ? [(node as DefaultTreeAdapterMap['template']).content]
    : 'childNodes' in node
      ? node.childNodes
      : [];

/** Void elements, and those whose end tag HTML lets authors omit. */
const endsByItself = new Set(
  'area base br col embed hr img input link meta source track wbr li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th html head body'.split(
    ' ',
  ),
);
const isUnclosed = (node: Element): boolean => {
  const location = node.sourceCodeLocation;
  return (
    location != null && location.endTag === undefined && node.namespaceURI === specification.NS.HTML && !endsByItself.has(node.tagName)
  );
};

/** The text directly in the element; text of its children belongs to them. */
const ownText = (node: Element): string => node.childNodes.map((child) => ('value' in child ? child.value : '')).join('');

/** The size of what a parser adds to a short page: html, head, body and the like. */
const addedElements = 1_000;

class TooComplex extends Error {
  override readonly name = 'TooComplex';
}

/**
 * Builds a tree that is no larger than its source, in elements and attributes, and throws `TooComplex` beyond that.
 * HTML repeats an open `<b>`, with its attributes, in each later paragraph: a tree can be the square of its source.
 */
function boundedTree(maxSize: number): TreeAdapter<DefaultTreeAdapterMap> {
  let size = 0;
  return {
    ...defaultTreeAdapter,
    createElement(tagName, namespace, attributes) {
      size++;
      for (const { name, value } of attributes) size += name.length + value.length;
      if (size > maxSize) throw new TooComplex();
      return defaultTreeAdapter.createElement(tagName, namespace, attributes);
    },
  };
}

/** Parse errors of which a browser shows no trace, and which valid pages of other generators have. */
const harmless = new Set(['non-void-html-element-start-tag-with-trailing-slash']);
export const maxParseErrors = 5;

/** What is wrong with a page that `parsePage` does not parse. */
export const tooComplex = (path: string): Finding => ({
  path,
  rule: 'html-parses',
  message: 'The page is not checked: many of its formatting elements, such as <b> and <a>, are not closed.',
});

/**
 * Parses a page (WHATWG HTML) and lists its elements in order; undefined for one whose tree is far larger than its
 * source. No recursion, because authors choose the depth.
 */
export function parsePage(path: string, html: string): ParsedPage | undefined {
  const parseErrors: { code: string; line: number }[] = [];
  const onParseError = ({ code, startLine }: { code: string; startLine: number }) => {
    if (parseErrors.length < maxParseErrors && !harmless.has(code)) parseErrors.push({ code, line: startLine });
  };
  const root = treeOf(html, onParseError);
  return root && { path, ...elementsBelow(root), parseErrors };
}

/** The tree of a page, with the place of each node in its source; undefined if it is far larger than that. */
export function treeOf(html: string, onParseError: ParserOptions<DefaultTreeAdapterMap>['onParseError'] = null) {
  try {
    return parse(html, { sourceCodeLocationInfo: true, onParseError, treeAdapter: boundedTree(html.length + addedElements) });
  } catch (error) {
    if (error instanceof TooComplex) return undefined;
    throw error;
  }
}

const isData = (attributes: ReadonlyMap<string, string>) => attributes.get('type')?.trim().toLowerCase() === 'application/ld+json';

function elementsBelow(root: Node): Pick<ParsedPage, 'elements' | 'ids'> {
  const elements: PageElement[] = [];
  const ids = new Set<string>();
  const stack: { node: Node; isInLabel: boolean }[] = [{ node: root, isInLabel: false }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { node, isInLabel } = entry;
    const isLabel = isElement(node) && node.tagName === 'label';
    if (isElement(node)) {
      const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]));
      const id = attributes.get('id');
      if (id !== undefined) ids.add(id);
      elements.push({
        tag: node.tagName,
        attributes,
        line: node.sourceCodeLocation?.startLine ?? 1,
        isInLabel,
        isUnclosed: isUnclosed(node),
        title: node.tagName === 'title' ? ownText(node) : '',
        script: node.tagName === 'script' && !isData(attributes) ? ownText(node) : '',
      });
    }
    for (const child of childrenOf(node).toReversed()) stack.push({ node: child, isInLabel: isInLabel || isLabel });
  }
  return { elements, ids };
}
