export { feedIsLive, listen, onFeedRestored, startHeartbeat } from './bus.ts';
export { closeEvents, connectEvents, eventsCheck } from './connection.ts';
export { type BatchConsumption, consume, consumeBatches, consumeStream, type StreamEvent } from './consume/consume.ts';
export type { Consumption } from './consume/handle-message.ts';
export { consumerOf } from './consumers.ts';
export { becomeDeadLetter } from './dead-letters/set-aside.ts';
export { type EventsOptions, eventsOptions } from './event-streams.ts';
export { startRelay } from './relay/relay.ts';
export { keepStreams } from './upkeep/keep-streams.ts';
