export { feedIsLive, onFeedRestored, startHeartbeat } from './broadcast/feed.ts';
export { listen } from './broadcast/listen.ts';
export { closeEvents, connectEvents, type EventsOptions, eventsCheck, eventsOptions } from './connection.ts';
export { consume, consumeStream } from './consume/consume.ts';
export { type BatchConsumption, consumeBatches, type StreamEvent } from './consume/consume-batches.ts';
export type { Consumption } from './consume/handle-message.ts';
export { becomeDeadLetter } from './dead-letters/set-aside.ts';
export { startRelay } from './relay/relay.ts';
