import type { ServerResponse } from 'node:http';

/** Calls `cancel` when the client disconnects, at once if it already has: work for nobody is not started. */
export function onDisconnect(response: ServerResponse, cancel: () => void): void {
  if (response.destroyed) cancel();
  else response.once('close', cancel);
}
