import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { processes } from '@webkiln/messages';
import { MongoClient } from 'mongodb';
import { agency, eventually } from '../harness/agency.ts';
import { localReceivers } from '../harness/local-receivers.ts';
import { startPlatform } from '../harness/test-platform.ts';
import { visit } from '../harness/visitor.ts';
import { listAll } from './runs/records/compare-records.ts';
import { acceptAll, ReceiverServer } from './runs/webhooks/receiver.ts';

const main = path.resolve(__dirname, '../../cli/src/main.ts');
const clientsBefore = 30;

test('a platform that lost everything is what the backup has: records, sites, keys, webhook secrets, and no event is lost', async () => {
  await using platform = await startPlatform({ env: { ...localReceivers, RATE_LIMIT: '1000000' } });
  const { facts } = platform;
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-backup-'));
  const { KEY_PEPPER, AUTH_SECRET, INVITATION_SECRET, PREVIEW_SECRET, WEBHOOK_SECRET_KEYS } = platform.platform.secrets;
  const env = { ...process.env, ...facts.urls, KEY_PEPPER, AUTH_SECRET, INVITATION_SECRET, PREVIEW_SECRET, WEBHOOK_SECRET_KEYS };
  const webkiln = (...words: string[]) => promisify(execFile)(process.execPath, [main, ...words], { env });

  const ours = await agency(facts);
  await using receivers = await ReceiverServer.start(acceptAll);
  const subscriber = await receivers.subscribe(ours, ['client.created']);
  const add = async () =>
    (await ours.api.post('/clients', { email: `${crypto.randomUUID()}@example.test` })).expect(201).body.client.id as string;
  const acknowledged: string[] = [];
  while (acknowledged.length < clientsBefore) acknowledged.push(await add());
  const site = await publishedSite(ours.api);
  // Writes go on while the backup is taken.
  let isOver = false;
  const writing = (async () => {
    while (!isOver) await add();
  })();
  await webkiln('backup', '--to', path.join(folder, 'backup'));
  isOver = true;
  await writing;

  for (const name of Object.keys(processes)) await platform.stopProcess(name);
  await using databases = await MongoClient.connect(facts.urls.MONGODB_URL);
  const { databases: found } = await databases.db('admin').admin().listDatabases({ nameOnly: true });
  for (const { name } of found.filter(({ name }) => name.startsWith('webkiln_'))) await databases.db(name).dropDatabase();
  // The events are gone, too. Restore itself compares every collection with the checksums of the backup.
  await webkiln('restore', '--from', path.join(folder, 'backup'), '--replace', '--confirm', 'webkiln');
  for (const name of Object.keys(processes)) await platform.startProcess(name);

  await eventually(async () => (await ours.api.get('/clients?limit=1')).expect(200));
  const stored = new Set((await listAll(ours.api, 'clients')).map(({ id }) => id));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  const next = await add();
  const arrived = () => [...subscriber.received.values()].flatMap(({ event }) => ('client' in event.data ? [event.data.client.id] : []));
  await eventually(() => {
    const missing = [...stored, next].filter((id) => !arrived().includes(id));
    if (missing.length > 0) throw new Error(`the events of ${missing.length} clients did not arrive`);
  });
  // The receiver verifies each delivery with the secret of before.
  expect(subscriber.violations).toEqual([]);
  expect(await eventually(() => visit(facts.origins[0] ?? '', site))).toMatchObject({ status: 200, text: expect.stringContaining('Kept') });
  rmSync(folder, { recursive: true });
});

async function publishedSite(api: Awaited<ReturnType<typeof agency>>['api']): Promise<string> {
  const { client } = (await api.post('/clients', { email: `${crypto.randomUUID()}@example.test` })).expect(201).body;
  (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  const { project } = (await api.post('/projects', { client_email: client.email, name: 'Kept' })).expect(201).body;
  return (await api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': '<h1>Kept</h1>' } })).expect(200).body.url;
}
