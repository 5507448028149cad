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

/** A Markdown table of values.yaml with its comments. A list or object in one line is one value. */
export function valuesTable(): string {
  const { parseDocument } = createRequire(path.join(root, 'deploy/package.json'))('yaml');
  const { contents } = parseDocument(readFileSync(path.join(root, 'deploy/charts/webkiln/values.yaml'), 'utf8')) as { contents: Node };
  return `| Value | Type | Default | Meaning |\n|---|---|---|---|\n${rowsOf(contents, '').join('')}`;
}

const rowsOf = (node: Node, prefix: string): string[] =>
  (node.items ?? []).flatMap(({ key, value }, index) => {
    const name = prefix + key.value;
    // The comment above the first key of a map belongs to the map for the library.
    const comment = key.commentBefore ?? (index === 0 ? node.commentBefore : undefined) ?? '';
    const meaning = comment.replaceAll(/\s+/g, ' ').trim().replaceAll(/[<|]/g, '\\$&');
    if (value?.items !== undefined && !value.flow && value.items[0]?.key !== undefined) {
      const heading = meaning === '' ? [] : [`| \`${name}\` | object | | ${meaning} |\n`];
      return [...heading, ...rowsOf(value, `${name}.`)];
    }
    const byDefault = value?.toJSON();
    const type = Array.isArray(byDefault) ? 'list' : byDefault === null ? 'any' : typeof byDefault;
    return [`| \`${name}\` | ${type} | \`${JSON.stringify(byDefault).replaceAll('|', '\\|')}\` | ${meaning} |\n`];
  });
