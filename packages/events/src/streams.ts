/** For services with further streams beside the events, over the same connection. */
export { answeredRequests } from './answered-requests.ts';
export { type Bus, theBus } from './bus.ts';
export { PersistentStream } from './persistent-stream.ts';
export { endOfTurn, type StoredPart, TurnStream } from './turn-stream.ts';
