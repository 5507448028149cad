import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A process that works for a larger share of the time is left alone. */
const restShare = 0.02;

/**
 * Collects the garbage of a busy time, such as the start, once the process rests. V8 leaves the young generation as
 * large as it grew until its next full collection, which an idle process may not need for minutes.
 */
export function giveBackAtRest(everyMs: number): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  let wasBusy = true;
  let last = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    const isBusy = (user + system) / 1000 > everyMs * restShare;
    if (wasBusy && !isBusy) collect();
    wasBusy = isBusy;
  };
  setInterval(look, everyMs).unref();
}
