import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@webkiln/store/testing';
import { subscribe, theBus } from '../bus.ts';

/** The progress signals (+WPI) that this process's consumers send to NATS for long-running events. */
export function signsOfWork(stream: string, consumer: string) {
  const bus = theBus();
  let signs = 0;
  subscribe(bus, `$JS.ACK.${stream}.${consumer}.>`, (said) => {
    if (said === '+WPI') signs++;
  });
  return {
    /**
     * Throws unless each of `waits` ack waits saw a signal. Safe on slow machines: a timer for a whole wait fires after
     * the shorter timers that were set before it, however late all of them are.
     */
    async inEachOf(waits: number, waitMs: number): Promise<void> {
      await until(() => signs > 0);
      const before = signs;
      for (let wait = 0; wait < waits; wait++) await pause(waitMs);
      await bus.connection?.flush();
      if (signs - before < waits) throw new Error(`${signs - before} signs of work in ${waits} waits of ${waitMs} ms`);
    },
  };
}
