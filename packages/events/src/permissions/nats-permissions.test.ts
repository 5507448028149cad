import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type EventType, eventStreams, type ProcessName, processes, type ServiceName, serviceNames } from '@webkiln/messages';
import { connect, type NatsConnection, StringCodec } from 'nats';
import { consumersOf } from '../consumers.ts';
import { NatsServer } from '../testing/nats-server.ts';
import { inboxPrefix, natsAuthorization } from './nats-permissions.ts';
import { heartbeatListeners, listeners, publishers } from './publishers.ts';

const everything = '    { user: "administrator", password: "test" }';
const streams = {
  EVENTS: ['events.>', 'internal.>'],
  MAILS: ['mails.>'],
  AUDIT: ['audit.>'],
  FORMS: ['forms.>'],
  TURNS: ['turns.>'],
  VIEWS: ['views'],
  REQUESTS: ['requests.answered'],
};

let server: NatsServer;
const connections: NatsConnection[] = [];
beforeAll(async () => {
  server = await NatsServer.notYetStarted();
  await server.start({ config: `no_auth_user: administrator\n${natsAuthorization('', () => 'test', [everything])}` });
  const manager = await (await as('administrator')).jetstreamManager();
  for (const [name, subjects] of Object.entries(streams)) await manager.streams.add({ name, subjects });
});
afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  await server.remove();
});

async function as(user: string): Promise<NatsConnection> {
  const connection = await connect({ servers: server.url, user, pass: 'test', inboxPrefix: inboxPrefix(user), noAsyncTraces: true });
  connections.push(connection);
  return connection;
}

const denied = { code: 'PERMISSIONS_VIOLATION' };

test.each([
  ['sites', 'events.client.created'],
  ['sites', 'internal.key.changed'],
  ['webhooks', 'views'],
  ['embed', 'requests.answered'],
  ['clients-plans', 'forms.form.submitted'],
  ['gateway', 'internal.session.changed'],
  ['gateway', 'turns.some'],
  ['projects-templates', 'beat.identity'],
])('%s cannot publish %s', async (user, subject) => {
  const connection = await as(user);
  await expect(connection.request(subject, '{}')).rejects.toMatchObject(denied);
});

test.each([
  ['sites', 'MAILS'],
  ['sites', 'AUDIT'],
  ['gateway', 'EVENTS'],
  ['webhooks', 'REQUESTS'],
  ['clients-plans', 'VIEWS'],
  ['embed', 'FORMS'],
  ['analytics', 'TURNS'],
])('%s cannot read the stream %s: by no consumer of its own or of others, and by no message', async (user, stream) => {
  const connection = await as(user);
  const attempts = {
    [`CONSUMER.CREATE.${stream}`]: { stream_name: stream, config: { ack_policy: 'none', deliver_subject: `${inboxPrefix(user)}.push` } },
    [`CONSUMER.CREATE.${stream}.x`]: { stream_name: stream, config: { name: 'x', ack_policy: 'none' } },
    [`CONSUMER.DURABLE.CREATE.${stream}.x`]: { stream_name: stream, config: { durable_name: 'x', ack_policy: 'explicit' } },
    [`CONSUMER.MSG.NEXT.${stream}.identity-audit`]: { batch: 1 },
    [`STREAM.MSG.GET.${stream}`]: { seq: 1 },
    [`DIRECT.GET.${stream}`]: { seq: 1 },
    [`STREAM.PURGE.${stream}`]: {},
    [`STREAM.DELETE.${stream}`]: {},
  };
  for (const [subject, body] of Object.entries(attempts)) {
    await expect(connection.request(`$JS.API.${subject}`, JSON.stringify(body))).rejects.toMatchObject(denied);
  }
});

test.each(['_INBOX.identity.>', '_INBOX.>', '>', '$JS.>', 'internal.>', 'mails.>'])('sites cannot subscribe to %s', async (subject) => {
  const connection = await as('sites');
  const subscription = connection.subscribe(subject);
  const read = async () => {
    for await (const _ of subscription);
  };
  await expect(read()).rejects.toMatchObject(denied);
});

test("sites cannot take or acknowledge another service's messages on a stream that both read", async () => {
  const manager = await (await as('administrator')).jetstreamManager();
  await manager.consumers.add('EVENTS', { durable_name: 'webhooks-dispatch', ack_policy: 'explicit' as never });
  const connection = await as('sites');
  await expect(connection.request('$JS.API.CONSUMER.MSG.NEXT.EVENTS.webhooks-dispatch', '1')).rejects.toMatchObject(denied);
  await expect(connection.request('$JS.ACK.EVENTS.webhooks-dispatch.1.1.1.1.0', '+ACK')).rejects.toMatchObject(denied);
});

test('users do what is theirs', async () => {
  const [identity, gateway] = [await as('identity'), await as('gateway')];
  const heard = gateway.subscribe('internal.key.changed', { max: 1 });
  await gateway.flush();
  await identity.jetstream().publish('internal.key.changed', '{"id":"1"}');
  for await (const message of heard) expect(StringCodec().decode(message.data)).toBe('{"id":"1"}');
});

describe('the lists of publishers and listeners', () => {
  const root = path.resolve(import.meta.dirname, '../../../..');
  const sourceOf = (process: ProcessName) =>
    globSync(`${process === 'gateway' ? 'gateway' : `services/${process}`}/src/**/*.ts`, { cwd: root })
      .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
      .map((file) => readFileSync(path.join(root, file), 'utf8'))
      .join('\n');

  const types = Object.keys(publishers) as EventType[];

  test.each(serviceNames)('%s may publish exactly the events that its rules raise', (service: ServiceName) => {
    const source = sourceOf(service);
    const raised = types.filter(
      (type) => source.includes(`type: '${type}'`) || (type === 'internal.audited' && source.includes('auditEvent(')),
    );
    expect(types.filter((type) => publishers[type].includes(service))).toEqual(raised);
  });

  test.each(Object.keys(processes) as ProcessName[])('%s may hear exactly the broadcasts that it listens to', (process) => {
    const source = sourceOf(process);
    const heard = [...source.matchAll(/\blisten\('([^']+)'/g)].map(([, type]) => type);
    if (/\b(watch|hear)OrgPolicies\(/.test(source)) heard.push('internal.organization.changed');
    expect(new Set(listeners[process] ?? [])).toEqual(new Set(heard));
    expect(heartbeatListeners.has(process)).toBe(/\b(feedIsLive|onFeedRestored)\b/.test(source));
  });
});

describe('the list of consumers', () => {
  const root = path.resolve(import.meta.dirname, '../../../..');
  const sources = globSync('services/*/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
    .map((file) => readFileSync(path.join(root, file), 'utf8'));

  test('every consumer that the list names is started by exactly one service, since a stream is purged only while all exist', () => {
    const started = sources.flatMap((source) => [...source.matchAll(/consumerOf\('([^']+)'\)/g)].map(([, name]) => name));
    const policies = sources.flatMap((source) =>
      [...source.matchAll(/(?:watch|copy)OrgPolicies\('([^']+)'/g)].map(([, name]) => `${name}-standings`),
    );
    const erasures = sources.flatMap((source) => [...source.matchAll(/startErasure\('([^']+)'/g)].map(([, name]) => `${name}-erasure`));
    expect([...started, ...policies, ...erasures].sort()).toEqual([...new Set(eventStreams.flatMap(consumersOf))].sort());
  });

  test('every consumer of a service is in the list, since a stream is purged of what the listed ones acknowledged', () => {
    const calls = sources.flatMap((source) => [...source.matchAll(/\bconsume(?:Batches)?\(\{\s*(\S+)/g)].map(([, first]) => first));
    expect(calls.length).toBeGreaterThan(0);
    for (const first of calls) expect(first).toMatch(/^\.\.\.consumerOf\(/);
  });
});
