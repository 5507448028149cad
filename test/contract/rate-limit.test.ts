import { setTimeout as pause } from 'node:timers/promises';
import { agency } from '../harness/agency.ts';

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
