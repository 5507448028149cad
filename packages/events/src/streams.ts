/** For services that have streams of their own beside the one of events, over the same connection. */
export { answeredRequests } from './answered-requests.ts';
export { type Bus, theBus } from './bus.ts';
export { KeptStream } from './stream.ts';
