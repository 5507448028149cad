import { setImmediate as pendingIo } from 'node:timers/promises';
import { compose, edit, sentenceFor, siteOf } from '@webkiln/composer';
import { type ListedPicture, listedPictures, pictureListPath } from '@webkiln/contract';
import type { Engine, SiteWork, TurnContext } from '../engine.ts';

const startOver = /^\s*(?:start over|begin anew|neu anfangen|recommence[rz]?|empieza de nuevo|empezar de nuevo)\b\s*[:,.–-]?\s*/i;

type Files = ReadonlyMap<string, string | Uint8Array>;

/** The composer's result for a message: files, or none if it did not understand. */
interface Composed {
  readonly files?: Files;
  readonly text: string;
}

/** Builds and edits sites without a model, on this machine. It spends nothing. */
export const composerEngine: Engine = {
  async run(context) {
    const { site, message, pictures, projectId, turnId } = context;
    const before = textsOf(site);
    const { files, text } = composed(before, message, pictures, projectId);
    if (files !== undefined) await writeChanges(context, before, files);
    const id = `${turnId}-text`;
    context.emit({ type: 'text-start', id });
    context.emit({
      type: 'text-delta',
      id,
      delta: context.history.length === 0 ? `${sentenceFor(message, 'introduction')}\n\n${text}` : text,
    });
    context.emit({ type: 'text-end', id });
    return { summary: text.split('\n')[0] ?? text, tokens: 0 };
  },
};

function textsOf(site: SiteWork): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { path } of site.list()) {
    const text = site.read(path);
    if (text !== undefined) texts.set(path, text);
  }
  return texts;
}

/** The element that the person pointed at stands before the message, on a line of its own; of an image its path. */
const pointedAt = /^\[[^\n]*?(?:\s(\/(?:images|pictures)\/[\w.-]+))?\]\n/;

function composed(files: ReadonlyMap<string, string>, said: string, attached: readonly ListedPicture[], seed: string): Composed {
  const known = siteOf(files);
  const [pointed, clicked] = pointedAt.exec(said) ?? [];
  const message = clicked === undefined ? said : said.slice(pointed?.length);
  const isNew = startOver.test(message);
  const library = listedPictures(files.get(pictureListPath));
  const pictures = attached.length > 0 ? attached : library.filter(({ name }) => isNamed(name, message));
  if (isNew || [...files.keys()].every((path) => path === pictureListPath)) {
    const { files: made, did, suggestions } = compose({ prompt: message.replace(startOver, ''), seed, pictures });
    const list = [...files].filter(([path]) => path === pictureListPath);
    return { files: new Map([...list, ...made]), text: withSuggestions(did, suggestions) };
  }
  if (known === undefined) return { text: sentenceFor(message, 'foreign') };
  const result = edit({ site: known, files, sentence: message, pictures, clicked, library });
  if ('did' in result) return { files: result.files, text: withSuggestions(result.did, result.suggestions) };
  return { text: withSuggestions(result.notUnderstood, result.suggestions) };
}

const minNameLength = 4;

/** "Use the terrace photo": names of the library in a message, with spaces or hyphens. */
const isNamed = (name: string, message: string) =>
  name.length >= minNameLength && ` ${message.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `.includes(` ${name.replaceAll('-', ' ')} `);

/** What a person may write next stands in marks of code: the builder puts it into its input. */
const withSuggestions = (text: string, suggestions: readonly string[]): string =>
  [text, suggestions.map((each) => `- \`${each}\``).join('\n')].filter((part) => part !== '').join('\n\n');

/** Writes what differs, page by page, so that the preview follows. */
async function writeChanges({ site, emit, turnId, signal }: TurnContext, before: Files, after: Files): Promise<void> {
  const gone = [...before.keys()].filter((path) => !after.has(path));
  const changed = [...after].filter((file): file is [string, string] => typeof file[1] === 'string' && before.get(file[0]) !== file[1]);
  let number = 0;
  const report = (toolName: string, path: string, action: 'written' | 'deleted') => {
    const toolCallId = `${turnId}-${++number}`;
    emit({ type: 'tool-input-available', toolCallId, toolName, input: { path } });
    emit({ type: 'tool-output-available', toolCallId, output: { path } });
    emit({ type: 'data-file', data: { path, action } });
  };
  for (const [path, text] of changed) {
    signal.throwIfAborted();
    site.write(path, text);
    report('write_file', path, 'written');
    await pendingIo(); // keeps other turns responsive
  }
  for (const path of gone) {
    site.delete(path);
    report('delete_file', path, 'deleted');
  }
}
