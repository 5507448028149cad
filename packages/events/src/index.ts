export { closeEvents, connectEvents, type EventsOptions, eventsCheck } from './connection.ts';
export { consume, consumeStream } from './consume.ts';
export { type BatchConsumption, consumeBatches, type StreamEvent } from './consume-batches.ts';
export { feedIsLive, onFeedRestored, startBeat } from './feed.ts';
export type { Consumption } from './handle-message.ts';
export { listen } from './listen.ts';
export { startRelay } from './relay.ts';
