import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const timeoutMs = 1000;

function dial(port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port });
  return socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer on port ${port}`)));
}

/** Resolves if something listens on a local port; otherwise throws. */
export async function accepts(port: number): Promise<void> {
  const socket = dial(port);
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

/** Sends `request` to a local server. Resolves when its answer matches `expected`; otherwise throws. */
export async function answers(port: number, request: string, expected: RegExp): Promise<void> {
  const socket = dial(port);
  socket.write(request);
  let text = '';
  try {
    for await (const chunk of socket) {
      text += String(chunk);
      if (expected.test(text)) return;
    }
    throw new Error(`unexpected answer on port ${port}: ${text.slice(0, 200)}`);
  } finally {
    socket.destroy();
  }
}
