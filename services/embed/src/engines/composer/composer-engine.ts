import { setImmediate as pendingIo } from 'node:timers/promises';
import { compose, edit, siteOf } from '@webkiln/composer';
import type { Engine, SiteWork, TurnContext } from '../engine.ts';

const introduction = 'No AI model is configured here, so the built-in composer works on your site.\n\n';
const foreign =
  'This site was not made by the built-in composer, which changes its own sites only. You can publish it as it is, upload its files again, or begin anew.';
const startOver = /^\s*(?:start over|begin anew|neu anfangen|recommence[rz]?|empieza de nuevo|empezar de nuevo)\b\s*[:,.–-]?\s*/i;

type Files = ReadonlyMap<string, string | Uint8Array>;

/** What the composer made of a message: files, or none if it did not understand. */
interface Composed {
  readonly files?: Files;
  readonly text: string;
}

/** Builds and edits sites without a model, on this machine. It spends nothing. */
export const composerEngine: Engine = {
  async run(context) {
    const { site, message, projectId, turnId } = context;
    const before = textsOf(site);
    const { files, text } = composed(before, message, projectId);
    if (files !== undefined) await writeChanges(context, before, files);
    const id = `${turnId}-text`;
    context.emit({ type: 'text-start', id });
    context.emit({ type: 'text-delta', id, delta: context.history.length === 0 ? introduction + text : text });
    context.emit({ type: 'text-end', id });
    return { summary: text, tokens: 0 };
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

function composed(files: ReadonlyMap<string, string>, message: string, seed: string): Composed {
  const known = siteOf(files);
  const isNew = startOver.test(message);
  if (files.size === 0 || isNew) {
    const made = compose({ prompt: message.replace(startOver, ''), seed });
    return { files: made.files, text: greeting(made.site.name, made.site.placeholders) };
  }
  if (known === undefined) return { text: `${foreign} For example: “Start over: a bakery site in Lyon”.` };
  const result = edit({ site: known, files, sentence: message });
  if ('did' in result) return { files: result.files, text: result.did };
  return { text: `${result.notUnderstood}\n\n${result.suggestions.map((each) => `- ${each}`).join('\n')}` };
}

function greeting(name: string, placeholders: readonly string[]): string {
  const asked = placeholders.slice(0, 4).map((each) => `- ${each}`);
  const done = `Your site “${name}” is ready: look at it beside, and tell me what to change.`;
  return asked.length === 0 ? done : `${done} Only you know these:\n${asked.join('\n')}`;
}

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
