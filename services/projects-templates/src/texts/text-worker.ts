/** The program of the threads that edit texts: authors choose how long parsing a page takes. */
import { parentPort } from 'node:worker_threads';
import { editTypedText, type TypedText } from '@webkiln/composer';

/** The files of a draft, and what was typed. */
export interface TextEdit {
  readonly files: ReadonlyMap<string, string>;
  readonly typed: TypedText;
}

parentPort?.on('message', ({ files, typed }: TextEdit) => parentPort?.postMessage(editTypedText(files, typed)));
parentPort?.postMessage('ready');
