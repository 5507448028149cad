/** For processes that only receive events and own no database: loads neither the relay's nor the consumers' stores. */

export { feedIsLive, onFeedRestored } from './broadcast/feed.ts';
export { follow } from './broadcast/follow.ts';
export { listen } from './broadcast/listen.ts';
export { closeEvents, connectEvents, eventsCheck, serverOf } from './connection.ts';
export { eventsOptions } from './events-options.ts';
