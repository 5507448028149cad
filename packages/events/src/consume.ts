import type { EventType } from '@webkiln/contract';
import { theBus } from './bus.ts';
import { runDurable } from './durable.ts';
import { type Consumption, handle } from './handle-message.ts';

/**
 * Runs an effect once for each event of these types, whatever is redelivered and whoever dies. Events may come in any order. A failed
 * effect is tried again after growing waits and never dropped.
 */
export function consume<T extends EventType>(consumption: Consumption<T>): void {
  const bus = theBus();
  const settled = { ackWaitMs: 5_000, atOnce: 16, ...consumption };
  const running = runDurable(bus, { ...settled, leastRoom: 1 }, (message) => handle(message, settled));
  bus.beforeStop(() => running);
}
