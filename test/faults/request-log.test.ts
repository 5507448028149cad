import type { LoggedRequest, Usage } from '@webkiln/contract';
import { eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { owner } from '../harness/person.ts';
import { startPlatform } from '../harness/test-platform.ts';
import { faultTimeoutMs } from './expect-held.ts';

jest.setTimeout(faultTimeoutMs);

const rounds = 3;
const perRound = 20;

test('every answered request is logged and counted once while gateways restart and identity is killed -9', async () => {
  await using platform = await startPlatform();
  const boss = await owner({ platform: platform.facts });
  const { key, secret } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
  const program = new Api(boss.api.baseUrl, secret);
  // A request right after a restart may be refused. It is counted as well, but as an error.
  const ask = () => eventually(async () => (await program.get('/clients')).expect(200).headers.get('x-request-id') ?? '');
  const answered: string[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let time = 0; time < perRound; time++) answered.push(await ask());
    await Promise.all([platform.replace('gateway', 'SIGTERM'), platform.replace('identity')]);
  }
  const logged = await eventually(async () => {
    const { requests } = (await boss.api.get(`/account/requests?key_id=${key.id}&status=2xx&limit=100`)).expect(200).body;
    expect(requests.length).toBeGreaterThanOrEqual(answered.length);
    return requests as LoggedRequest[];
  });
  expect(logged.map(({ request_id }) => request_id).sort()).toEqual(answered.toSorted());
  const counted = await eventually(async () => {
    const { usage } = (await boss.api.get('/account/usage')).expect(200).body as { usage: Usage };
    const { requests = 0, client_errors = 0, server_errors = 0 } = usage.keys.find(({ key_id }) => key_id === key.id) ?? {};
    expect(requests - client_errors - server_errors).toBeGreaterThanOrEqual(answered.length);
    return requests - client_errors - server_errors;
  });
  expect(counted).toBe(answered.length);
});
