import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { dataServiceNames, processes } from '@webkiln/messages';
import { MongoClient } from 'mongodb';
import { bundledProgram } from '../../tools/dev-platform/src/platform/bundle.ts';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { connectedAgent } from '../harness/connected-agent.ts';
import { fullOrganization } from '../harness/full-organization.ts';
import { fullPerson } from '../harness/full-person.ts';
import {
  addMember,
  deleteAccount,
  deleteOrganization,
  eraseNow,
  listOrganizations,
  restoreOrganization,
  resume,
  verifyAudit,
} from '../harness/operator.ts';
import { Person } from '../harness/person.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { traces, traces as tracesIn } from '../harness/traces.ts';
import { sendForm, visit } from '../harness/visitor.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { smallFormsStream, surviveFullStream } from './runs/outages/full-stream.ts';
import { listAll } from './runs/records/compare-records.ts';
import { acceptAll, ReceiverServer } from './runs/webhooks/receiver.ts';

/** Erasures begin at once, and end soon after the last event; the stream of forms is soon full. */
const settings = { ...smallFormsStream, ERASURE_POLL_MS: '500', ERASURE_QUIET_MS: '3000', TRUSTED_PROXIES: '127.0.0.1,::1' };

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
let store: MongoClient;
beforeAll(async () => {
  platform = await startPlatform({ env: settings });
  store = await new MongoClient(platform.facts.urls.MONGODB_URL).connect();
});
afterAll(async () => {
  await store?.close();
  await platform?.[Symbol.asyncDispose]();
});

describe('an erased organization', () => {
  const traces = (text: string) => tracesIn(store, text);

  const isErased = async (id: string) => {
    const found = (await listOrganizations()).organizations.find((organization) => organization.id === id);
    expect(found?.erased_at).toBeDefined();
    return found;
  };

  /** Its id and dates in each service, ids in its audit log, sums of its orders: what an erasure keeps. */
  const kept = /(_identity\.(organizations|audit_entries|audit_heads)|_clients_plans\.orders|\.erased_organizations)$/;

  test('after an erasure no database has anything of the organization but its id, its dates, the ids in its audit log and the sums of its orders', async () => {
    const { facts } = platform;
    const [ours, theirs] = [await fullOrganization(facts), await fullOrganization(facts)];
    const before = await traces(ours.id);
    for (const service of dataServiceNames) expect(Object.keys(before).join(' ')).toContain(service.replace('-', '_'));
    const theirTraces = await traces(theirs.id);
    await deleteOrganization(ours.id);
    await eraseNow(ours.id);
    await eventually(() => isErased(ours.id));

    expect(Object.keys(await traces(ours.id)).filter((place) => !kept.test(place))).toEqual([]);
    expect(await traces(ours.mark)).toEqual({});
    expect(await traces(ours.boss.email)).toEqual({});
    expect((await isErased(ours.id))?.name).toBe('erased');
    expect((await visit(facts.origins[0] ?? '', theirs.project.url)).text).toContain(theirs.mark);
    const theirsAfter = await traces(theirs.id);
    const fewer = Object.entries(theirTraces).filter(([place, count]) => (theirsAfter[place] ?? 0) < count);
    expect(fewer).toEqual([]);
    expect((await theirs.api.get('/projects')).expect(200).body.total).toBe(1);
  });

  test('an erasure whose services are killed in between ends the same', async () => {
    const ours = await fullOrganization(platform.facts);
    await eraseNow(ours.id);
    for (const service of dataServiceNames) {
      await pause(Math.random() * 300);
      await platform.replace(service);
    }
    await eventually(() => isErased(ours.id));
    expect(Object.keys(await traces(ours.id)).filter((place) => !kept.test(place))).toEqual([]);
    expect(await traces(ours.mark)).toEqual({});
  });

  test('a person who belongs to another organization, too, keeps the account', async () => {
    const [ours, theirs] = [await fullOrganization(platform.facts), await fullOrganization(platform.facts)];
    (await theirs.api.get('/account/session')).expect(200);
    const shared = ours.boss.email;
    await addMember(theirs.id, shared);
    await eraseNow(ours.id);
    await eventually(() => isErased(ours.id));
    (await ours.boss.signIn()).expect(200);
    expect((await ours.boss.api.get('/account/session')).expect(200).body.organization.id).toBe(theirs.id);
  });

  test('until its day comes a deleted organization is restored as it was; it cannot be resumed, nor restored later', async () => {
    const ours = await fullOrganization(platform.facts);
    const before = await traces(ours.mark);
    const { organization } = await deleteOrganization(ours.id);
    const days = (Date.parse(organization?.erase_at ?? '') - Date.now()) / (24 * 3600_000);
    expect(Math.round(days)).toBe(30);
    await eventually(async () => (await ours.api.get('/projects')).expect(403, 'organization_suspended'));
    await expect(resume(ours.id)).rejects.toMatchObject({ code: 'validation_failed' });
    await restoreOrganization(ours.id);
    await restoreOrganization(ours.id);
    await eventually(async () => (await ours.api.get('/projects')).expect(200));
    const after = await traces(ours.mark);
    expect(Object.keys(before).filter((place) => !(place in after) && !/outbox|mail/.test(place))).toEqual([]);
    await eraseNow(ours.id);
    await eventually(() => isErased(ours.id));
    await expect(restoreOrganization(ours.id)).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe('a deleted account', () => {
  const database = () => store.db('webkiln_identity');
  const prefixOf = ({ address }: Person) => address.replace(/\.\d+$/, '.0/24');

  /** The entries of an organization that this account made or was the target of, by their ids. */
  const entriesAbout = (org_id: string, account_id: string) =>
    database()
      .collection('audit_entries')
      .find({ org_id, $or: [{ 'actor.id': account_id }, { 'target.id': account_id }] })
      .toArray();

  const accountId = async ({ email }: Person): Promise<string> => String((await database().collection('accounts').findOne({ email }))?._id);

  /** Waits until events on their way are handled. */
  const expectForgotten = (mark: string) => eventually(async () => expect(await traces(store, mark)).toEqual({}));

  test('after its deletion no database has an address, name or network of an account; the audit logs keep their entries and verify', async () => {
    const { mark, person, ours, theirs } = await fullPerson(platform.facts);
    const id = await accountId(person);
    expect(Object.keys(await traces(store, mark)).join(' ')).toMatch(/accounts.*|audit_entries|invitations/);
    const before = await eventually(async () => {
      const entries = await entriesAbout(ours.id, id);
      const expected = ['email.changed', 'passkey.added', 'project.published', 'sign_in.blocked', 'webhook.created'];
      const all = await database().collection('audit_entries').distinct('action', { org_id: ours.id });
      expect(all).toEqual(expect.arrayContaining(expected));
      return entries;
    });
    expect(await deleteAccount(person.email)).toMatchObject({ account_id: id, done: true, keys: [{ org_id: ours.id, id: ours.key.id }] });

    await expectForgotten(mark);
    const after = await entriesAbout(ours.id, id);
    expect(after.map(({ hash }) => hash)).toEqual(expect.arrayContaining(before.map(({ hash }) => hash)));
    expect(JSON.stringify(after)).not.toContain(prefixOf(person));
    expect(
      await database()
        .collection('sessions')
        .countDocuments({ account_id: id, ip_prefix: { $ne: '' } }),
    ).toBe(0);
    for (const org of [ours.id, theirs.id]) expect(await verifyAudit(org)).toEqual({ entries: expect.any(Number), unverifiable: 0 });
    await eventually(async () => {
      const { entries } = (await ours.boss.api.get('/account/audit?limit=100')).expect(200).body;
      const deleted = { action: 'account.deleted', actor: { kind: 'operator', id: 'operator', email: null, agent: null } };
      expect(entries).toContainEqual(expect.objectContaining({ ...deleted, target: { kind: 'account', id, name: null } }));
      expect(entries).toContainEqual(
        expect.objectContaining({ action: 'project.published', actor: { kind: 'account', id, email: null, agent: null } }),
      );
    });
  });

  test('a deleted account has no session, password, passkey, invitation or membership; its keys stay, and its address can begin anew', async () => {
    const { person, device, ours, theirs } = await fullPerson(platform.facts, { isAttacked: false });
    const home = new Person({ platform: platform.facts, email: person.email });
    (await home.signIn(person.password)).expect(200);
    const agent = await connectedAgent(person);
    (await agent.api.get('/projects')).expect(200);
    await deleteAccount(person.email);
    await eventually(async () => (await agent.api.get('/projects')).expect(401, 'invalid_token'));
    for (const { api } of [person, home]) await eventually(async () => (await api.get('/account/session')).expect(401, 'invalid_session'));
    (await home.signIn(person.password)).expect(401);
    const { options } = (await home.auth('/passkey/sign-in-options', {})).expect(200).body;
    const response = device.get(options, { origin: platform.facts.origins[0] ?? '' });
    expect((await home.auth('/passkey/sign-in', { response })).status).toBe(401);
    expect((await theirs.boss.api.get('/account/invitations')).expect(200).body.total).toBe(0);
    const { members } = (await ours.boss.api.get('/account/members')).expect(200).body;
    expect(members.map(({ email }: { email: string }) => email)).toEqual([ours.boss.email]);
    (await new Api(`${platform.facts.origins[0]}/api/v1`, ours.key.secret).get('/projects')).expect(200);

    const again = new Person({ platform: platform.facts, email: person.email });
    (await again.signUp({})).expect(200);
    await again.confirmEmail();
    expect((await again.api.get('/account/session')).expect(200).body.organization).toBeNull();
  });

  test('a deletion whose process is killed at any moment ends the same when it is repeated', async () => {
    // Of the four deletions under way one has lasted for 135 ms when the process is killed, others for 45, 15 and 5.
    const pausesMs = [90, 30, 10, 5];
    const people = await Promise.all(pausesMs.map(() => fullPerson(platform.facts)));
    const broken: Promise<unknown>[] = [];
    for (const [at, { person }] of people.entries()) {
      broken.push(deleteAccount(person.email).catch((error: unknown) => error));
      await pause(pausesMs[at]);
    }
    await platform.replace('identity');
    await Promise.all(broken);
    for (const { mark, person, ours } of people) {
      await eventually(async () => {
        const repeated = await deleteAccount(person.email).catch((error: { code: string; message: string }) => error);
        // Refused if the killed process had done all of it.
        expect('done' in repeated ? repeated.done : repeated.message).toEqual('done' in repeated ? true : 'email: belongs to no account.');
      });
      await expectForgotten(mark);
      expect(await verifyAudit(ours.id)).toMatchObject({ unverifiable: 0 });
      expect(await verifyAudit(ours.id)).not.toHaveProperty('broken_at');
      expect((await ours.boss.api.get('/account/members')).expect(200).body.total).toBe(1);
    }
  });

  test('the audit log of an erased organization has no names and still verifies, entry by entry', async () => {
    const { mark, ours } = await fullPerson(platform.facts);
    const log = database().collection('audit_entries');
    // Acts that are not stored by now leave nothing.
    const kept = await eventually(async () => {
      expect(await log.countDocuments({ org_id: ours.id })).toBeGreaterThan(10);
      const published = await log.findOne({ org_id: ours.id, action: 'project.published' });
      expect(published).not.toBeNull();
      return published;
    });
    await deleteOrganization(ours.id);
    await eraseNow(ours.id);
    await eventually(async () => {
      const found = (await listOrganizations()).organizations.find(({ id }) => id === ours.id);
      expect(found?.erased_at).toBeDefined();
    });
    const { entries, ...verdict } = await verifyAudit(ours.id);
    expect(verdict).toEqual({ unverifiable: 0 });
    expect(entries).toBeGreaterThan(10);
    const places = Object.keys(await traces(store, mark)).filter((place) => place.includes('audit'));
    expect(places).toEqual([]);
    const changed = await log.updateOne({ _id: kept?._id }, { $set: { action: 'project.deleted' } });
    expect(changed.modifiedCount).toBe(1);
    expect((await verifyAudit(ours.id)).broken_at).toBe(String(kept?._id));
  });
});

describe('a full stream', () => {
  test('a full stream of forms stops no webhook, mail or form; what waited arrives once there is room', async () => {
    expectHeld(await surviveFullStream(platform, { clients: 5, forms: 5, waits: false }));
  });
});

describe('published sites', () => {
  let ours: Agency;
  let site: { url: string; projectId: string };
  beforeAll(async () => {
    ours = await agency(platform.facts, { rateLimit: 1_000_000 }); // polling needs many requests
    const { client } = (await ours.api.post('/clients', { email: 'owner@example.test', name: 'Owner' })).expect(201).body;
    await ours.api.patch(`/clients/${client.id}`, { status: 'active' });
    const { project } = (await ours.api.post('/projects', { client_email: client.email, name: 'Live' })).expect(201).body;
    site = { url: '', projectId: project.id };
    site.url = await publish('first');
  });

  async function publish(text: string): Promise<string> {
    const builtFiles = { 'index.html': text, 'late.html': `${text}, late` };
    return (await ours.api.post(`/projects/${site.projectId}/publish`, { builtFiles })).expect(200).body.url;
  }

  const shown = (url = site.url) => visit(platform.facts.origins[0] ?? '', url);
  const sent = (message: string) => sendForm(platform.facts.origins[0] ?? '', `${site.url}/_forms/contact`, { message });
  const messages = async () => {
    const { submissions } = (await ours.api.get(`/projects/${site.projectId}/forms/submissions`)).expect(200).body;
    return submissions.map(({ fields }: { fields: { message: string } }) => fields.message);
  };
  const shows = (text: string, url?: string) => ours.eventually(async () => expect(await shown(url)).toMatchObject({ status: 200, text }));

  const mayHaveCertificate = async (url: string) =>
    (await platform.fetchInternal('sites', `/tls/ask?domain=${new URL(url).hostname}`)).status;

  test('the certificate check allows published hosts and no others', async () => {
    await shows('first');
    expect([await mayHaveCertificate(site.url), await mayHaveCertificate(site.url.replace('//', '//nobody-'))]).toEqual([200, 404]);
  });

  test('without projects-templates, cached pages are served; other pages and forms get 503 with Retry-After', async () => {
    await shows('first');
    await platform.stopProcess('projects-templates');
    expect(await shown()).toMatchObject({ status: 200, text: 'first' });
    for (const url of [`${site.url}/late`, site.url.replace('//', '//unvisited-')]) {
      const { status, headers } = await shown(url);
      expect([status, headers['retry-after']]).toEqual([503, '2']);
    }
    const { status, headers } = await sent('lost');
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    expect([await mayHaveCertificate(site.url), await mayHaveCertificate(site.url.replace('//', '//unasked-'))]).toEqual([200, 503]);
    await platform.startProcess('projects-templates');
    await shows('first, late', `${site.url}/late`);
    // The gateway reconnects without a restart.
    await ours.eventually(() => publish('second'));
    await shows('second');
  });

  test('without NATS, a new deploy is still served', async () => {
    await publish('third');
    await shows('third');
    await platform.stopProcess('nats');
    await publish('fourth');
    await shows('fourth');
    await platform.startProcess('nats');
    await publish('fifth');
    await shows('fifth');
  });

  test('without MongoDB, cached pages are served, and exactly the confirmed form submissions are kept', async () => {
    expect((await sent('first')).status).toBe(303);
    await platform.stopProcess('mongodb');
    expect(await shown()).toMatchObject({ status: 200, text: 'fifth' });
    const { status, headers } = await sent('lost');
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    await platform.startProcess('mongodb');
    await ours.eventually(async () => expect((await sent('second')).status).toBe(303));
    expect(await messages()).toEqual(['second', 'first']);
  });

  test('without the sites service, visitors get 503 with Retry-After, and the API works', async () => {
    await platform.stopProcess('sites');
    const { status, headers } = await shown();
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    (await ours.api.get('/projects')).expect(200);
    await platform.startProcess('sites');
    await shows('fifth');
  });

  test('while an index of the sites service cannot be made, published sites are served; once it can, all works without a restart', async () => {
    await using mongo = await MongoClient.connect(platform.facts.urls.MONGODB_URL);
    const images = mongo.db('webkiln_sites').collection('preview_images');
    const storeReady = () => platform.counterSum('sites', /^site_store_ready /);
    // The process that started in the test before may still make its indexes.
    await ours.eventually(async () => expect(await storeReady()).toBe(1));
    await images.dropIndex('drop_at_1');
    await images.createIndex({ drop_at: 1 });
    await platform.replace('sites', 'SIGTERM');
    await shows('fifth');
    expect(await storeReady()).toBe(0);
    await images.dropIndex('drop_at_1');
    await ours.eventually(async () => expect(await storeReady()).toBe(1));
    expect((await sent('third')).status).toBe(303);
  });

  test('a killed sites service recovers without help', async () => {
    await platform.replace('sites');
    await shows('fifth');
  });
});

describe('a backup', () => {
  const clientsBefore = 30;

  test('a platform that lost everything is what the backup has: records, sites, keys, webhook secrets, and no event is lost', async () => {
    const { facts } = platform;
    const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-backup-'));
    const { KEY_PEPPER, AUTH_SECRET, INVITATION_SECRET, PREVIEW_SECRET, WEBHOOK_SECRET_KEYS } = platform.platform.secrets;
    const env = { ...process.env, ...facts.urls, KEY_PEPPER, AUTH_SECRET, INVITATION_SECRET, PREVIEW_SECRET, WEBHOOK_SECRET_KEYS };
    const main = await bundledProgram('cli/src/main.ts');
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
      while (!isOver) await Promise.all([add(), pause(20)]);
    })();
    await webkiln('backup', '--to', path.join(folder, 'backup'));
    isOver = true;
    await writing;

    await Promise.all(Object.keys(processes).map((name) => platform.stopProcess(name)));
    await using databases = await MongoClient.connect(facts.urls.MONGODB_URL);
    const { databases: found } = await databases.db('admin').admin().listDatabases({ nameOnly: true });
    for (const { name } of found.filter(({ name }) => name.startsWith('webkiln_'))) await databases.db(name).dropDatabase();
    // The events are gone, too. Restore itself compares every collection with the checksums of the backup.
    await webkiln('restore', '--from', path.join(folder, 'backup'), '--replace', '--confirm', 'webkiln');
    await Promise.all(Object.keys(processes).map((name) => platform.startProcess(name)));

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
    expect(await eventually(() => visit(facts.origins[0] ?? '', site))).toMatchObject({
      status: 200,
      text: expect.stringContaining('Kept'),
    });
    rmSync(folder, { recursive: true });
  });

  async function publishedSite(api: Awaited<ReturnType<typeof agency>>['api']): Promise<string> {
    const { client } = (await api.post('/clients', { email: `${crypto.randomUUID()}@example.test` })).expect(201).body;
    (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
    const { project } = (await api.post('/projects', { client_email: client.email, name: 'Kept' })).expect(201).body;
    return (await api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': '<h1>Kept</h1>' } })).expect(200).body.url;
  }
});
