import { useForms } from '../../testing/running-forms.ts';
import { post, storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite } from '../../testing/test-sites.ts';

const now = new Date();
const running = useForms({ maxPerSiteHour: 2, now: () => now });

test('submissions beyond the hourly quota of a site are 429 and not stored, as HTML and as JSON', async () => {
  const site = newSite();
  for (const field of ['a', 'b']) expect((await post(running.port, site, `${field}=1`)).status).toBe(303);
  const page = await post(running.port, site, 'c=1');
  expect([page.status, page.headers['retry-after'], page.headers['content-type']]).toEqual([429, '3600', 'text/html; charset=utf-8']);
  expect(page.body.toString()).toContain('too many messages');
  const json = await post(running.port, site, '{"d":"1"}', { type: 'application/json' });
  expect([json.status, JSON.parse(json.body.toString())]).toEqual([429, { error: expect.any(String), code: 'too_many_submissions' }]);
  expect(await storedSubmissions(site)).toHaveLength(2);
});
