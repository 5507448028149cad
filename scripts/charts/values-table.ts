import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** What is read of a YAML document. */
interface Node {
  readonly items?: readonly { readonly key: { readonly value: string; readonly commentBefore?: string }; readonly value: Node | null }[];
  readonly flow?: boolean;
  readonly commentBefore?: string;
  toJSON(): unknown;
}

interface Value {
  readonly path: string;
  /** The comment above it in values.yaml, in one line; empty for an object that needs none. */
  readonly meaning: string;
  /** What is there if nobody sets it; undefined for an object, whose values follow. */
  readonly byDefault?: unknown;
}

/** The values of values.yaml. A list or object in one line is one value. Throws if one has no comment. */
export function chartValues(): Value[] {
  const { parseDocument } = createRequire(path.join(root, 'deploy/package.json'))('yaml');
  const { contents } = parseDocument(readFileSync(path.join(root, 'deploy/charts/webkiln/values.yaml'), 'utf8')) as { contents: Node };
  return valuesOf(contents, '');
}

const valuesOf = (node: Node, prefix: string): Value[] =>
  (node.items ?? []).flatMap(({ key, value }, index) => {
    const name = prefix + key.value;
    // The comment above the first key of a map belongs to the map for the library.
    const comment = key.commentBefore ?? (index === 0 ? node.commentBefore : undefined) ?? '';
    const meaning = comment.replaceAll(/\s+/g, ' ').trim();
    if (value?.items !== undefined && !value.flow && value.items[0]?.key !== undefined) {
      return [{ path: name, meaning }, ...valuesOf(value, `${name}.`)];
    }
    if (meaning === '') throw new Error(`values.yaml says nothing about ${name}: write a comment above it`);
    return [{ path: name, meaning, byDefault: value?.toJSON() }];
  });

/** The values as a Markdown table. */
export function valuesTable(): string {
  const rows = chartValues().flatMap(({ path: name, meaning, byDefault }) => {
    const text = meaning.replaceAll(/[<|]/g, '\\$&');
    if (byDefault === undefined) return text === '' ? [] : [`| \`${name}\` | object | | ${text} |\n`];
    const type = Array.isArray(byDefault) ? 'list' : byDefault === null ? 'any' : typeof byDefault;
    return [`| \`${name}\` | ${type} | \`${JSON.stringify(byDefault).replaceAll('|', '\\|')}\` | ${text} |\n`];
  });
  return `| Value | Type | Default | Meaning |\n|---|---|---|---|\n${rows.join('')}`;
}
