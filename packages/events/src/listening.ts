/** For processes that only receive events and own no database: loads neither the relay's nor the consumers' stores. */

export { follow } from './broadcast/follow.ts';
export { feedIsLive, listen, onFeedRestored } from './bus.ts';
export { closeEvents, connectEvents, eventsCheck, serverOf } from './connection.ts';
export { eventsOptions } from './event-streams.ts';
