import { setTimeout as pause } from 'node:timers/promises';
import { agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { owner } from '../harness/person.ts';

test('a key gets 100 requests per window, then 429 with Retry-After, and is served again after that time', async () => {
  const { api } = await agency();
  const since = performance.now();
  const answers = await Promise.all(Array.from({ length: 130 }, () => api.get('/plans')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(refused).toHaveLength(30);
  const { headers, body } = (await api.get('/plans')).expect(429, 'rate_limited');
  const retryAfter = Number(headers.get('retry-after'));
  expect(body.error).toContain('Retry-After');
  expect(retryAfter).toBeGreaterThanOrEqual(60 - Math.ceil((performance.now() - since) / 1000));
  expect(retryAfter).toBeLessThanOrEqual(60);
  expect(headers.get('ratelimit')).toBe(`"v1";r=0;t=${retryAfter}`);
  expect([headers.get('x-ratelimit-remaining'), headers.get('x-ratelimit-reset')]).toEqual(['0', String(retryAfter)]);
  await pause(retryAfter * 1000);
  (await api.get('/plans')).expect(200);
});

test('each key of an organization has its own quota', async () => {
  const { api, makeKey } = await agency();
  await Promise.all(Array.from({ length: 100 }, () => api.get('/plans')));
  (await api.get('/plans')).expect(429);
  (await (await makeKey(['read'])).api.get('/plans')).expect(200);
});

test("a key's own rate limit counts where it is less than its organization's, and from its next request on", async () => {
  const { api } = await owner();
  const made = async (rate_limit: number) => {
    const { key, secret } = (await api.post('/account/keys', { name: 'CI', permissions: ['read'], rate_limit })).expect(201).body;
    return { id: key.id, program: new Api(api.baseUrl, secret) };
  };
  const [slow, wide] = [await made(2), await made(1000)];
  for (let sent = 0; sent < 2; sent++) expect((await slow.program.get('/plans')).expect(200).headers.get('x-ratelimit-limit')).toBe('2');
  (await slow.program.get('/plans')).expect(429, 'rate_limited');
  expect((await wide.program.get('/plans')).expect(200).headers.get('x-ratelimit-limit')).toBe('100');
  (await api.patch(`/account/keys/${wide.id}`, { rate_limit: 50 })).expect(200);
  await eventually(async () => expect((await wide.program.get('/plans')).headers.get('x-ratelimit-limit')).toBe('50'));
});
