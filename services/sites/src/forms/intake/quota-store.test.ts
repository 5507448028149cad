import { randomUUID } from 'node:crypto';
import { watchOrgPolicies } from '@webkiln/org-policy';
import { scoped } from '@webkiln/store';
import { useForms } from '../../testing/running-forms.ts';
import { storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite, type TestSite } from '../../testing/test-sites.ts';
import { acceptSubmission, createPseudonymizer, type SentForm } from './accept-submission.ts';
import { QuotaModel, secondsToMidnight, usedFormSubmissions } from './quota-store.ts';

useForms();
beforeAll(() => watchOrgPolicies('sites', { QUOTA_FORM_SUBMISSIONS: 12 }));

const dayMs = 24 * 3600_000;
/** The last second of tomorrow. It must lie ahead, because MongoDB deletes expired documents by its own clock. */
const lateTomorrow = (Math.floor(Date.now() / dayMs) + 2) * dayMs - 1000;

const sent = ({ org_id, project_id }: TestSite, more: Partial<SentForm> = {}): SentForm => ({
  ...{ org_id, project_id, isOfJoined: false, form: 'contact', page: '/', address: randomUUID() },
  fields: [{ name: 'message', values: [randomUUID()] }],
  controls: { next: undefined, trapped: false },
  ...more,
});
const accept = (form: SentForm, at = lateTomorrow) =>
  acceptSubmission({ pseudonymize: createPseudonymizer('secret'), maxPerSiteHour: 1000, now: () => new Date(at) }, form);
const trapped = { controls: { next: undefined, trapped: true } };
const tooMany = expect.objectContaining({ reason: 'too_many_today' });
const used = (site: TestSite, at = lateTomorrow) => usedFormSubmissions({ org_id: site.org_id }, new Date(at));

test('of 50 at once exactly as many are stored as the organization may have a day, over all its sites, and none of the rest', async () => {
  const site = newSite();
  const sites = [site, newSite({ org_id: site.org_id })];
  const outcomes = await Promise.allSettled(sites.flatMap((each) => Array.from({ length: 25 }, () => accept(sent(each)))));
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(refusals).toEqual(Array(38).fill(tooMany));
  expect((await Promise.all(sites.map(storedSubmissions))).flat()).toHaveLength(12);
  expect(await used(site)).toBe(12);
  await accept(sent(newSite()));
});

test('the quota is that of a UTC day: after midnight there is a new one, and the counts of the old one expire', async () => {
  const site = newSite();
  for (let count = 0; count < 12; count++) await accept(sent(site));
  await expect(accept(sent(site))).rejects.toEqual(tooMany);
  expect(secondsToMidnight(new Date(lateTomorrow))).toBe(1);
  await accept(sent(site), lateTomorrow + 1000);
  expect([await used(site), await used(site, lateTomorrow + 1000)]).toEqual([12, 1]);
  const counts = await scoped(QuotaModel, { org_id: site.org_id }).find({});
  const endOf = (count: number) => counts.find((row) => row._id.startsWith(site.org_id) && row.used === count)?.expire_at.getTime();
  expect([endOf(12), endOf(1)]).toEqual([lateTomorrow + 61_000, lateTomorrow + 61_000 + dayMs]);
});

test('a repeat of an accepted submission is accepted after the quota is used up, stored once and counted once', async () => {
  const site = newSite();
  const first = sent(site);
  await accept(first);
  for (let count = 1; count < 12; count++) await accept(sent(site));
  await accept(first);
  expect(await storedSubmissions(site)).toHaveLength(12);
});

test('spam does not use up the quota of an organization and has one of the same size', async () => {
  const site = newSite();
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => accept(sent(site, trapped))));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(12);
  expect(await used(site)).toBe(0);
  await accept(sent(site));
});

test('sites of clients who joined by a link get a tenth of the quota together, their spam another, and other sites the rest', async () => {
  const own = newSite();
  const [joined, another] = [newSite({ org_id: own.org_id }), newSite({ org_id: own.org_id })];
  const isOfJoined = true;
  await accept(sent(joined, { isOfJoined }));
  await expect(accept(sent(another, { isOfJoined }))).rejects.toEqual(tooMany);
  await accept(sent(another, { ...trapped, isOfJoined }));
  for (let count = 1; count < 12; count++) await accept(sent(own));
  expect(await used(own)).toBe(12);
});
