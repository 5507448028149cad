/** A program of worker threads for tests: it doubles numbers, throws at "throw", and works for ever at "spin". */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', (work: number | string) => {
  if (work === 'throw') throw new Error('thrown in the thread');
  while (work === 'spin');
  parentPort?.postMessage(Number(work) * 2);
});
parentPort?.postMessage('ready');
