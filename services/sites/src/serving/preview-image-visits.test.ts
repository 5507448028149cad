import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useTestStore } from '@webkiln/store/testing';
import { storeImage } from '../preview-images/preview-image-store.ts';
import { visit } from '../testing/visit.ts';
import { servePreviewImage } from './preview-image-visits.ts';

useTestStore();

const server = createServer(servePreviewImage);
let port: number;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const [project, deploy] = [randomUUID(), randomUUID()];
const [image, small] = [Buffer.from('\x89PNG and so on', 'latin1'), Buffer.from('RIFF and so on')];
const request = (path = `/${project}/${deploy}.png`, more: Parameters<typeof visit>[2] = {}) => visit(port, path, more);
const older = randomUUID();
beforeAll(async () => {
  const stored = { project_id: project, image, live_at: new Date() };
  await storeImage({ org_id: randomUUID() }, deploy, { ...stored, small });
  await storeImage({ org_id: randomUUID() }, older, stored);
});

test('200: the image, cacheable forever and embeddable anywhere', async () => {
  const { status, headers, body } = await request();
  expect([status, body]).toEqual([200, image]);
  expect(headers).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    etag: `"${deploy}.png"`,
  });
  const { headers: sameHeaders, ...head } = await request(undefined, { method: 'HEAD' });
  expect(head).toEqual({ status: 200, body: Buffer.alloc(0) });
  expect(sameHeaders['content-length']).toBe(String(image.byteLength));
});

test.each([
  ['the small image', deploy, small, 'image/webp'],
  ['the image of a deploy that is older than small ones', older, image, 'image/png'],
])('200: %s is at .webp', async (_, of, content, type) => {
  const { status, headers, body } = await request(`/${project}/${of}.webp`);
  expect([status, body, headers['content-type'], headers.etag]).toEqual([200, content, type, `"${of}.webp"`]);
});

test('304: a matching ETag gets no content', async () => {
  const { status, body } = await request(undefined, { headers: { 'if-none-match': `"${deploy}.png"` } });
  expect([status, body.byteLength]).toEqual([304, 0]);
});

test.each([
  `/${project}/${randomUUID()}.png`,
  `/${deploy}/${project}.png`,
  `/${project}/${deploy}`,
  `/${project}/${deploy}.png/`,
  `/${project}/..%2f${deploy}.png`,
  `//${project}/${deploy}.png`,
  '/',
  '/constructor/prototype.png',
])('404: %s', async (path) => {
  const { status, headers } = await request(path, { headers: { 'if-none-match': '*' } });
  expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
});

test('405: methods other than GET and HEAD', async () => {
  const { status, headers } = await request(undefined, { method: 'POST' });
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
});
