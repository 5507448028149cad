/** For services that have streams of their own beside the one of events, over the same connection. */
export { type Bus, theBus } from './bus.ts';
export { createOrUpdateStream } from './stream.ts';
