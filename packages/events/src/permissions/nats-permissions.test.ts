import { connect, type NatsConnection, StringCodec } from 'nats';
import { NatsServer } from '../testing/nats-server.ts';
import { inboxPrefix, natsAuthorization } from './nats-authorization.ts';

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
