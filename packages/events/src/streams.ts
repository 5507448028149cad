/** For services with further streams beside the events, over the same connection. */
export { answeredRequests } from './answered-requests.ts';
export { type Bus, theBus } from './bus.ts';
export { hasLostMessage } from './lost-message.ts';
export { PersistentStream } from './persistent-stream.ts';
export type { StoredPart } from './turns/turn-reader.ts';
export { endOfTurn, TurnStream } from './turns/turn-stream.ts';
