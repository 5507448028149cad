import type { DefaultTreeAdapterMap } from 'parse5';
import { treeOf } from './parsed-page.ts';

type Node = DefaultTreeAdapterMap['node'];
type TextNode = DefaultTreeAdapterMap['textNode'];

/** Elements whose text is no text for visitors, or is not written as HTML. */
const closed = new Set(
  'script style title textarea template noscript noframes noembed iframe xmp plaintext option select svg math'.split(' '),
);

const isText = (node: Node): node is TextNode => node.nodeName === '#text';
const childrenOf = (node: Node): readonly Node[] => ('childNodes' in node ? node.childNodes : []);

/** The text node at a place: the index of each node among all children of its parent, from the `html` element down. */
function nodeAt(root: Node, at: readonly number[]): TextNode | undefined {
  let node = childrenOf(root).find(({ nodeName }) => nodeName === 'html');
  for (const index of at) {
    if (node === undefined || closed.has(node.nodeName)) return undefined;
    node = childrenOf(node)[index];
  }
  return node !== undefined && isText(node) ? node : undefined;
}

/** The text at a place of a page, with its white space; undefined if there is none that visitors read. */
export function textAt(page: string, at: readonly number[]): string | undefined {
  const root = treeOf(page);
  return root && nodeAt(root, at)?.value;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * The page with another text at a place, in place of `before`: the white space around it stays, and what the text has
 * of markup is escaped. Every other byte is as it was. Undefined if the place has another text, or if parsers would
 * then read anything but this text otherwise.
 */
export function withText(page: string, at: readonly number[], before: string, text: string): string | undefined {
  const root = treeOf(page);
  const node = root && nodeAt(root, at);
  const location = node?.sourceCodeLocation;
  if (root === undefined || node?.value !== before || location == null || before.trim() === '') return undefined;
  const [lead, trail] = [before.slice(0, before.length - before.trimStart().length), before.slice(before.trimEnd().length)];
  const written = `${lead}${text.replace(/[&<>]/g, (character) => entities[character] ?? '')}${trail}`;
  const next = page.slice(0, location.startOffset) + written + page.slice(location.endOffset);
  const after = treeOf(next);
  node.value = `${lead}${text}${trail}`;
  return after !== undefined && areEqual(root, after) ? next : undefined;
}

/** Compares two trees. No recursion, because authors choose the depth. */
function areEqual(one: Node, other: Node): boolean {
  const stack: [Node, Node][] = [[one, other]];
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const [a, b] = pair;
    if (wordsOf(a) !== wordsOf(b)) return false;
    const [as, bs] = [childrenOf(a), childrenOf(b)];
    if (as.length !== bs.length) return false;
    for (const [index, child] of as.entries()) stack.push([child, bs[index] as Node]);
  }
  return true;
}

function wordsOf(node: Node): string {
  if ('attrs' in node) return JSON.stringify([node.nodeName, node.attrs.map(({ name, value }) => [name, value])]);
  return JSON.stringify([node.nodeName, 'value' in node ? node.value : 'data' in node ? node.data : '']);
}
