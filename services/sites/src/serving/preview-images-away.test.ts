import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectStore, disconnectStore } from '@webkiln/store';
import { visit } from '../testing/visit.ts';
import { servePreviewImage } from './preview-image-visits.ts';

test('503: the store is unavailable', async () => {
  await connectStore(process.env.MONGODB_URL ?? '', 'away');
  await disconnectStore();
  const server = createServer(servePreviewImage);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { status, headers } = await visit((server.address() as AddressInfo).port, `/${randomUUID()}/${randomUUID()}.png`);
    expect([status, headers['retry-after']]).toEqual([503, '2']);
  } finally {
    server.close();
  }
});
