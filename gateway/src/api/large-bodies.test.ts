import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { operations } from '@webkiln/contract';
import { callForReply } from '@webkiln/rpc';
import { callerOf, connectTo, startReplica } from '@webkiln/rpc/testing';
import { longestHoldMs } from '@webkiln/runtime/testing/longest-hold';
import { LargeBodies } from './large-bodies.ts';

const mb = 1024 * 1024;
const params = { projectId: '00000000-0000-4000-8000-00000000000a' };

const bodies = new LargeBodies();
const opened = new Set<number>();
afterAll(async () => {
  await bodies.close();
  for (const fd of opened) closeSync(fd);
});

const read = (file: { fd: number; size: number }) => {
  const repeatable = { key: undefined, keyName: 'Idempotency-Key', credentialId: 'key', path: '/publish' };
  return bodies.read('org', { ...file, isZip: false, operation: 'publishProject', params, repeatable });
};

function uploaded(body: string) {
  const file = path.join(tmpdir(), `webkiln-large-body-${process.pid}`);
  writeFileSync(file, body);
  const fd = openSync(file, 'r');
  opened.add(fd);
  unlinkSync(file);
  return { fd, size: Buffer.byteLength(body) };
}

/** One character that takes two bytes in memory makes all others do so, too. */
const page = '<p>€</p>';
const site = (files: object) => JSON.stringify({ builtFiles: { 'index.html': page, ...files } });

test('a body of the largest size is sent as it is, and holds the event loop for less than its reading takes', async () => {
  let received: readonly { path: string; content: Buffer }[] = [];
  await using replica = await startReplica({
    async 'projects.PublishProject'({ builtFiles }) {
      received = builtFiles;
      return { status: 'ready' };
    },
  });
  await using _peers = connectTo('carried', [replica.port]);
  const empty = Buffer.byteLength(site({ 'large.txt': '' }));
  const largest = site({ 'large.txt': 'x'.repeat((operations.publishProject?.bodyBytes ?? 0) - empty) });
  const large = uploaded(largest);
  await read(uploaded(site({})));

  const heldMs = await longestHoldMs(async () => {
    const { payload } = await read(large);
    await callForReply('projects.PublishProject', payload, callerOf());
  });
  expect(received.map(({ path, content }) => [path, content.byteLength])).toEqual([
    ['index.html', 10],
    ['large.txt', 40 * mb - empty],
  ]);
  expect(received[0]?.content.toString()).toBe(page);
  const readingMs = await longestHoldMs(async () => void Buffer.from(JSON.parse(Buffer.from(largest).toString()).builtFiles['large.txt']));
  expect(heldMs).toBeLessThan(readingMs);
});

test('a body that cannot be read is answered 503, and the next one is read', async () => {
  await expect(read({ fd: -1, size: mb })).rejects.toMatchObject({ code: 'unavailable' });
  expect((await read(uploaded(site({})))).payload.byteLength).toBeGreaterThan(0);
});
