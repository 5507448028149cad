import { watchOrgPolicies } from '@webkiln/org-policy';
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

test("submissions beyond an organization's quota of the day are 429 until midnight UTC and not stored, as HTML and as JSON", async () => {
  watchOrgPolicies('sites', { QUOTA_FORM_SUBMISSIONS: 0 });
  const site = newSite();
  const page = await post(running.port, site, 'a=1');
  expect([page.status, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
  expect(page.body.toString()).toContain('This site takes no more messages today.');
  const json = await post(running.port, site, '{"b":"1"}', { type: 'application/json' });
  expect([json.status, JSON.parse(json.body.toString())]).toEqual([429, { error: expect.any(String), code: 'too_many_submissions' }]);
  const reopens = new Date(Date.now() + Number(json.headers['retry-after']) * 1000);
  expect([reopens.getUTCHours() * 60 + reopens.getUTCMinutes()]).toEqual([0]);
  expect(await storedSubmissions(site)).toEqual([]);
});
