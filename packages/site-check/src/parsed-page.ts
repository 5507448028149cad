import { type DefaultTreeAdapterMap, parse, html as specification } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

export interface PageElement {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly line: number;
  readonly isInLabel: boolean;
  /** True if its end tag is missing although HTML requires one. */
  readonly isUnclosed: boolean;
  readonly text: string;
}

export interface ParsedPage {
  readonly path: string;
  readonly elements: readonly PageElement[];
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

/** Parses a page (WHATWG HTML) and lists its elements in order. No recursion, because authors choose the depth. */
export function parsePage(path: string, html: string): ParsedPage {
  const parseErrors: { code: string; line: number }[] = [];
  const root = parse(html, {
    sourceCodeLocationInfo: true,
    onParseError: ({ code, startLine }) => parseErrors.push({ code, line: startLine }),
  });
  const elements: PageElement[] = [];
  const stack: { node: Node; isInLabel: boolean }[] = [{ node: root, isInLabel: false }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { node, isInLabel } = entry;
    const isLabel = isElement(node) && node.tagName === 'label';
    if (isElement(node)) {
      elements.push({
        tag: node.tagName,
        attributes: new Map(node.attrs.map(({ name, value }) => [name, value])),
        line: node.sourceCodeLocation?.startLine ?? 1,
        isInLabel,
        isUnclosed: isUnclosed(node),
        text: ownText(node),
      });
    }
    for (const child of childrenOf(node).toReversed()) stack.push({ node: child, isInLabel: isInLabel || isLabel });
  }
  return { path, elements, parseErrors };
}
