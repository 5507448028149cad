import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';

interface Props {
  readonly text: string;
  /** Takes what a message suggests to write next. */
  readonly onSuggestion: (text: string) => void;
}

const item = /^\s{0,3}(?:[-*•]|\d{1,2}[.)])\s+(.*)$/;
/** An item that is code alone, and more than a name: what the reader may write next. */
const suggestion = /^`([^`]*\s[^`]*)`$/;
const inline = /(\*\*[^*\n]+\*\*|`[^`\n]+`|\[[^\]\n]+\]\(https?:\/\/[^\s()]+\))/;

/** The Markdown that answers use: paragraphs, lists, headings, bold, code and links. All else is text, HTML too. */
export function Markdown({ text, onSuggestion }: Props) {
  return text.split(/\n{2,}/).map((block, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
    <Block key={at} lines={block.split('\n').filter((line) => line.trim() !== '')} onSuggestion={onSuggestion} />
  ));
}

/** Lines that follow each other: lists where they are items, paragraphs elsewhere. */
function Block({ lines, onSuggestion }: { readonly lines: readonly string[] } & Pick<Props, 'onSuggestion'>) {
  const parts: { items: string[]; isOrdered: boolean; words: string[] }[] = [];
  for (const line of lines) {
    const found = line.match(item)?.[1];
    const last = parts.at(-1);
    const part = last !== undefined && last.items.length > 0 === (found !== undefined) ? last : undefined;
    const into = part ?? { items: [], isOrdered: /^\s*\d/.test(line), words: [] };
    if (part === undefined) parts.push(into);
    if (found === undefined) into.words.push(line);
    else into.items.push(found);
  }
  return parts.map(({ items, isOrdered, words }, at) => {
    const key = `${at}`;
    if (items.length === 0) return <Words key={key} lines={words} />;
    const suggestions = items.map((each) => each.match(suggestion)?.[1]);
    if (suggestions.every((each) => each !== undefined)) return <Suggestions key={key} texts={suggestions} onSuggestion={onSuggestion} />;
    const List = isOrdered ? 'ol' : 'ul';
    return (
      <List key={key}>
        {items.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items are only ever added at the end
          <li key={index}>{inlineOf(each)}</li>
        ))}
      </List>
    );
  });
}

function Words({ lines }: { readonly lines: readonly string[] }) {
  const [first = ''] = lines;
  const heading = first.match(/^#{1,6}\s+(.*)$/)?.[1];
  const rest = heading === undefined ? lines : lines.slice(1);
  return (
    <>
      {heading === undefined ? null : (
        <p>
          <strong>{inlineOf(heading)}</strong>
        </p>
      )}
      {rest.length === 0 ? null : <p>{inlineOf(rest.join('\n'))}</p>}
    </>
  );
}

/** Chips that begin the next message: up to the colon where the rest is the reader's to say. */
const Suggestions = ({ texts, onSuggestion }: { readonly texts: readonly string[] } & Pick<Props, 'onSuggestion'>) => (
  <ul className="suggestions">
    {texts.map((each) => {
      const [, begun, rest] = each.match(/^(.*?\s?:)\s+(.*)$/) ?? [];
      return (
        <li key={each}>
          <Button className="suggestion" onPress={() => onSuggestion(begun === undefined ? each : `${begun} `)}>
            {begun ?? each}
            {rest === undefined ? null : <span> {rest}</span>}
          </Button>
        </li>
      );
    })}
  </ul>
);

const inlineOf = (text: string): ReactNode[] =>
  text.split(inline).map((part, at) => {
    const key = `${at}`;
    if (part.startsWith('**') && part.length > 4) return <strong key={key}>{part.slice(2, -2)}</strong>;
    if (part.startsWith('`') && part.length > 2) return <code key={key}>{part.slice(1, -1)}</code>;
    const [, label, href] = part.match(/^\[(.+)\]\((https?:.+)\)$/) ?? [];
    if (href === undefined) return part;
    return (
      <a key={key} href={href} target="_blank" rel="noopener noreferrer">
        {label}
      </a>
    );
  });
