import type { ServerResponse } from 'node:http';

/** Calls `cancel` when the client disconnects, at once if it already has, so that no useless work starts. */
export function onDisconnect(response: ServerResponse, cancel: () => void): void {
  if (response.destroyed) cancel();
  else response.once('close', cancel);
}

/**
 * Returns the `onCancel` of calls that are made one after the other: the one in flight is cancelled when the client
 * disconnects.
 */
export function onDisconnectCancelLast(response: ServerResponse): (cancel: () => void) => void {
  let cancelLast: (() => void) | undefined;
  onDisconnect(response, () => cancelLast?.());
  return (cancel) => {
    cancelLast = cancel;
    if (response.destroyed) cancel();
  };
}
