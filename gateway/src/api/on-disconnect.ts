import type { ServerResponse } from 'node:http';

/** Calls `cancel` when the client disconnects, at once if it already has, so that no useless work starts. */
export function onDisconnect(response: ServerResponse, cancel: () => void): void {
  if (response.destroyed) cancel();
  else response.once('close', cancel);
}
