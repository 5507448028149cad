/** For services with further streams beside the events, over the same connection. */

export { type Bus, theBus } from './bus.ts';
export { answeredRequests } from './fire-and-forget-stream.ts';
export { hasLostMessage } from './nats-failures.ts';
export { PersistentStream } from './persistent-stream.ts';
export type { StoredPart } from './turns/turn-stream.ts';
export { endOfTurn, TurnStream } from './turns/turn-stream.ts';
