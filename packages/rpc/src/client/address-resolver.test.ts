import dns from 'node:dns/promises';
import { callerOf, connectTo, service, startReplica, transports, until } from '../testing/loopback.ts';
import { call } from './peers.ts';

/** The addresses that every name resolves to. */
let addresses: readonly string[] | Error = [];
jest.mock('node:dns/promises', () => ({ lookup: jest.fn() }));

beforeEach(() => {
  jest.mocked(dns.lookup).mockImplementation((async () => {
    if (addresses instanceof Error) throw addresses;
    return addresses.map((address) => ({ address, family: 4 }));
  }) as never);
});

const replicaAt = (bind: string, port = 0, hold: () => Promise<void> = async () => {}) =>
  startReplica(
    {
      'projects.DeleteProject': async ({ project_id }) => {
        if (project_id === 'hold') await hold();
        return { id: bind };
      },
    },
    { bind, port },
  );

const ask = async (project_id = 'p') => (await call('projects.DeleteProject', { project_id }, callerOf())).id;

test.each(transports)('replicas are added and removed as the name resolves to them, without losing a call (%s)', async (transport) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using first = await replicaAt('127.0.0.1', 0, () => held);
  await using second = await replicaAt('127.0.0.2', first.port);
  addresses = [];
  await using _peers = connectTo(transport, [], { addresses: { [service]: `replicas.test:${first.port}` } });
  const early = ask('hold');
  addresses = ['127.0.0.1'];
  expect(await ask()).toBe('127.0.0.1');

  addresses = ['127.0.0.2'];
  const answers: string[] = [];
  while (answers.at(-1) !== '127.0.0.2') answers.push(await ask());
  release();
  expect(await early).toBe('127.0.0.1');
  expect(await ask()).toBe('127.0.0.2');

  addresses = new Error('the name server is away');
  jest.mocked(dns.lookup).mockClear();
  await until(() => jest.mocked(dns.lookup).mock.calls.length > 0);
  expect(await ask()).toBe('127.0.0.2');
  expect(second.port).toBe(first.port);
});
