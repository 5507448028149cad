import { closeEvents, connectEvents, eventsCheck } from '@webkiln/events/listening';
import { natsAccounts, natsAdministrator, natsPasswordVariable } from '@webkiln/events/permissions';
import { NatsServer } from '@webkiln/events/testing/nats-server';
import { until } from '@webkiln/store/testing';
import { webkiln } from '../testing/command-line.ts';
import { natsUrlWith, newNatsPasswords } from './secret-commands.ts';

const isConnected = () =>
  eventsCheck().then(
    () => true,
    () => false,
  );

afterEach(async () => {
  await closeEvents();
  for (const user of natsAccounts) delete process.env[natsPasswordVariable(user)];
});

test('what `nats users` prints is a configuration of nats-server, with which each user connects by the URL of `secrets create`', async () => {
  const { code, out } = await webkiln(['nats', 'users', '--prefix', 'shop_'], {});
  expect(code).toBe(0);
  expect(out).toContain('"shop_events.client.created"');
  const passwords = newNatsPasswords();
  Object.assign(process.env, passwords);
  const server = await NatsServer.notYetStarted();
  await server.start({ config: `no_auth_user: ${natsAdministrator}\n${out}\n` });
  for (const user of natsAccounts) {
    await connectEvents(natsUrlWith(server.url, user, passwords), user);
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
