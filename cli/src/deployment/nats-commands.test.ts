import { closeEvents, connectEvents, eventsCheck } from '@webkiln/events/listening';
import { natsUsers } from '@webkiln/events/permissions';
import { NatsServer } from '@webkiln/events/testing/nats-server';
import { until } from '@webkiln/store/testing';
import { webkiln } from '../testing/command-line.ts';

const variableOf = (user: string) => `NATS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`;
const isConnected = () =>
  eventsCheck().then(
    () => true,
    () => false,
  );

afterEach(async () => {
  await closeEvents();
  for (const user of natsUsers) delete process.env[variableOf(user)];
});

test('what `nats users` prints is a configuration of nats-server, with which each user connects by its password alone', async () => {
  const { code, out } = await webkiln(['nats', 'users', '--prefix', 'shop_'], {});
  expect(code).toBe(0);
  expect(out).toContain('"shop_events.client.created"');
  for (const user of natsUsers) process.env[variableOf(user)] = `secretOf${user.replaceAll('-', '')}`;
  const server = await NatsServer.notYetStarted();
  const administrator = 'users: [\n    { user: "administrator", password: "test" }';
  await server.start({ config: `no_auth_user: administrator\n${out.replace('users: [', administrator)}\n` });
  for (const user of natsUsers) {
    await connectEvents(server.url.replace('://', `://${user}:secretOf${user.replaceAll('-', '')}@`), user);
    await until(isConnected);
    await closeEvents();
  }
  await server.remove();
});

test('a prefix that no process could have is refused', async () => {
  const { code, err } = await webkiln(['nats', 'users', '--prefix', 'Shop.>'], {});
  expect(code).toBe(2);
  expect(err).toContain('must be lower-case letters, digits and _');
});
