import type { ServerResponse } from 'node:http';

/**
 * Sends a body part by part; each is produced once the reader has taken the one before. The caller has written the
 * head, with a Content-Length. If a part fails, cuts the connection, so that the body never looks complete, and throws.
 */
export async function sendParts(response: ServerResponse, parts: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const part of parts) {
      if (!response.write(part)) await drained(response);
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves when the reader has taken what was written, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
