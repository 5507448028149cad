import type { ServerResponse } from 'node:http';

/** Calls back when the caller goes away, at once if he is gone already: nothing is begun for somebody who will not hear of it. */
export function onceGone(response: ServerResponse, cancel: () => void): void {
  if (response.destroyed) cancel();
  else response.once('close', cancel);
}
