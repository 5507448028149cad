import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { closeServers, listening } from '../testing/listening.ts';
import { UnsentBytes } from './bounds.ts';

const mb = 1024 * 1024;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  closeServers();
});

/** A server whose responses have 8 MB, counted for the credential and network that the path names: "/key/network". */
async function serverWith(limits: { maxPerCredential: number; maxPerNetwork: number }): Promise<number> {
  const unsent = new UnsentBytes(limits);
  return listening(({ url = '' }, response) => {
    const [, credential = '', network = ''] = url.split('/');
    const isAdded = unsent.add(response, 8 * mb, credential, () => network);
    response.writeHead(isAdded ? 200 : 429).end(isAdded ? Buffer.alloc(8 * mb) : 'no');
  });
}

/** Asks and reads only the status line. */
async function unread(port: number, path: string): Promise<{ status: string; socket: Socket }> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  sockets.push(socket);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return { status: first.toString('latin1', 9, 12), socket };
}

test('a credential with too many unread bytes gets no more until it has read them; another is served', async () => {
  const port = await serverWith({ maxPerCredential: 20 * mb, maxPerNetwork: 100 * mb });
  const [first, second] = [await unread(port, '/a/home'), await unread(port, '/a/home')];
  expect([first.status, second.status]).toEqual(['200', '200']);
  expect((await unread(port, '/a/home')).status).toBe('429');
  expect((await unread(port, '/b/home')).status).toBe('200');
  await once(first.socket.resume(), 'close');
  expect((await unread(port, '/a/home')).status).toBe('200');
});

test('a network with too many unread bytes gets no more, whatever credentials it has', async () => {
  const port = await serverWith({ maxPerCredential: 100 * mb, maxPerNetwork: 20 * mb });
  for (const credential of ['a', 'b']) expect((await unread(port, `/${credential}/home`)).status).toBe('200');
  expect((await unread(port, '/c/home')).status).toBe('429');
  expect((await unread(port, '/c/office')).status).toBe('200');
});
