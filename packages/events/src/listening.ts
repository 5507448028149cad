/** For processes that only hear of events and own no database: without the stores that relay and consumers stand on. */
export { closeEvents, connectEvents, eventsCheck } from './connection.ts';
export { feedIsLive, onFeedRestored } from './feed.ts';
export { follow } from './follow.ts';
export { listen } from './listen.ts';
