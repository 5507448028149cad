/** The program of the threads that check sites. */
import { parentPort } from 'node:worker_threads';
import { addedForeignCode, checkChange } from '@webkiln/site-check';

const checks = { checkChange, addedForeignCode };
type Checks = typeof checks;

/** One call of a check. */
export type CheckCall = { [Name in keyof Checks]: { readonly name: Name; readonly input: Parameters<Checks[Name]> } }[keyof Checks];

parentPort?.on('message', ({ name, input }: CheckCall) => {
  parentPort?.postMessage((checks[name] as (...input: unknown[]) => unknown)(...input));
});
parentPort?.postMessage('ready');
