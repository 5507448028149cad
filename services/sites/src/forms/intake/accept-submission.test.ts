import { randomUUID } from 'node:crypto';
import { scoped } from '@webkiln/store';
import { useForms } from '../../testing/running-forms.ts';
import { publishedEvents, storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite, type TestSite } from '../../testing/test-sites.ts';
import { SubmissionModel } from '../submissions/submission-store.ts';
import { acceptSubmission, createPseudonymizer, type SentForm } from './accept-submission.ts';
import { FormRefusal } from './form-refusal.ts';
import { QuotaModel } from './quota-store.ts';
import { RepeatModel } from './repeat-store.ts';

const { stream } = useForms();
/** The start of the next hour. It must lie ahead, because MongoDB deletes expired documents by its own clock. */
const hour = (Math.floor(Date.now() / 3600_000) + 1) * 3600_000;
let now = hour;
beforeEach(() => {
  now = hour;
});

/** Accepts as several replicas would, which share nothing but the store. */
const accept = (site: TestSite, more: Partial<SentForm> = {}, maxPerSiteHour = 1000) => {
  const { org_id, project_id } = site;
  const fields = [{ name: 'message', values: [randomUUID()] }];
  const controls = { next: undefined, trapped: false };
  const sent = { org_id, project_id, isOfJoined: false, form: 'contact', page: '/', fields, controls, address: randomUUID(), ...more };
  return acceptSubmission({ pseudonymize: createPseudonymizer('secret'), maxPerSiteHour, now: () => new Date(now) }, sent);
};
const refusal = (reason: string) => expect.objectContaining({ reason });
const spamOf = async (site: TestSite) => (await storedSubmissions(site)).map(({ spam }) => spam);
const trapped = { controls: { next: undefined, trapped: true } };

test('spam is stored apart, raises no event and expires after 30 days; other submissions do not expire', async () => {
  const site = newSite();
  await accept(site, trapped);
  now += 1000;
  await accept(site);
  expect((await storedSubmissions(site)).map(({ spam, expire_at }) => [spam, expire_at])).toEqual([
    [true, new Date(hour + 30 * 24 * 3600_000)],
    [false, null],
  ]);
  expect(await publishedEvents(stream, site)).toHaveLength(1);
});

test('submissions from one address to one site beyond five in a minute are spam; those in the next minute or to other sites are not', async () => {
  const [site, other, address] = [newSite(), newSite(), '192.0.2.1'];
  for (let sent = 0; sent < 7; sent++) {
    now += 1000;
    await accept(site, { address });
  }
  await accept(other, { address });
  now = hour + 60_000;
  await accept(site, { address });
  expect([await spamOf(site), await spamOf(other)]).toEqual([[false, false, false, false, false, true, true, false], [false]]);
});

const guest = (name: string) => [
  { name: 'name', values: [name] },
  { name: 'email', values: [`${name}@example.org`] },
  { name: 'course', values: ['Sourdough on Saturday'] },
];

test('eight guests behind one address who sign up within a minute all arrive, also after a bot was there', async () => {
  const [site, address] = [newSite(), '192.0.2.6'];
  for (let sent = 0; sent < 20; sent++) await accept(site, { address, fields: guest(`bot${sent}`), ...trapped });
  for (let sent = 0; sent < 8; sent++) await accept(site, { address, fields: guest(`guest${sent}`) });
  const spam = await spamOf(site);
  expect([spam.filter(Boolean).length, spam.filter((each) => !each).length]).toEqual([20, 8]);
});

test('of one who says who it is five a minute arrive; of an address thirty a minute and three hundred an hour', async () => {
  const [site, address] = [newSite(), '192.0.2.7'];
  const kept = async () => (await spamOf(site)).filter((each) => !each).length;
  for (let sent = 0; sent < 7; sent++) await accept(site, { address, fields: [...guest('Ada'), { name: 'n', values: [`${sent}`] }] });
  expect(await kept()).toBe(5);
  for (let sent = 0; sent < 40; sent++) await accept(site, { address, fields: guest(`minute${sent}`) });
  expect(await kept()).toBeGreaterThan(20);
  expect(await kept()).toBeLessThanOrEqual(30);
  for (let sent = 0; sent < 330; sent++) {
    now = hour + 60_000 + sent * 10_000;
    await accept(site, { address, fields: guest(`hour${sent}`) });
  }
  expect(await kept()).toBeLessThanOrEqual(300);
});

test('submissions from one address to one site beyond sixty in an hour are spam, however evenly spread', async () => {
  const [site, address] = [newSite(), '192.0.2.2'];
  for (let sent = 0; sent < 61; sent++) {
    now = hour + sent * 30_000;
    await accept(site, { address });
  }
  expect((await spamOf(site)).filter(Boolean)).toHaveLength(1);
});

test('a site accepts exactly its hourly quota, even of concurrent submissions; spam has a separate quota', async () => {
  const site = newSite();
  const sent = await Promise.allSettled([...Array(30)].flatMap(() => [accept(site, {}, 10), accept(site, trapped, 10)]));
  const refused = sent.filter((each) => each.status === 'rejected');
  expect(refused).toHaveLength(40);
  for (const { reason } of refused) expect([reason instanceof FormRefusal, reason]).toEqual([true, refusal('too_many_submissions')]);
  expect((await spamOf(site)).sort()).toEqual([...Array(10).fill(false), ...Array(10).fill(true)]);
  now += 3600_000;
  await accept(site, {}, 10);
  expect(await storedSubmissions(site)).toHaveLength(21);
});

test('a flood beyond the hourly quota is refused without a write, but the repeat of a stored submission is not', async () => {
  const site = newSite();
  const same = { fields: [{ name: 'message', values: ['Hello'] }], address: '192.0.2.5' };
  await accept(site, same, 1);
  await expect(accept(site, {}, 1)).rejects.toEqual(refusal('too_many_submissions'));
  const { org_id } = site;
  const counts = () => Promise.all([scoped(QuotaModel, { org_id }).count({}), scoped(RepeatModel, { org_id }).count({})]);
  const before = await counts();
  for (let sent = 0; sent < 5; sent++) await expect(accept(site, {}, 1)).rejects.toEqual(refusal('too_many_submissions'));
  expect(await counts()).toEqual(before);
  await accept(site, same, 1);
  expect(await storedSubmissions(site)).toHaveLength(1);
  await accept(site, {}, 2);
});

test('equal submissions of one visitor within ten seconds are stored once, concurrent or not; those of other visitors, or later, are stored separately', async () => {
  const site = newSite();
  const same = { fields: [{ name: 'message', values: ['Hello'] }], address: '192.0.2.3' };
  await Promise.all([...Array(5)].map(() => accept(site, same)));
  now += 9_999;
  await accept(site, same);
  expect(await spamOf(site)).toEqual([false]);
  await accept(site, { ...same, form: 'order' });
  await accept(site, { ...same, address: '192.0.2.4' });
  now += 1;
  await accept(site, same);
  expect(await spamOf(site)).toEqual([false, false, false, false]);
  expect(await publishedEvents(stream, site)).toHaveLength(4);
});

test('addresses are stored neither in plain text nor as a hash that could be brute-forced, and quotas and repeats expire', async () => {
  const [site, address] = [newSite(), '198.51.100.7'];
  await accept(site, { address });
  const { org_id } = site;
  const stored = [
    ...(await scoped(QuotaModel, { org_id }).find({})),
    ...(await scoped(RepeatModel, { org_id }).find({})),
    ...(await scoped(SubmissionModel, { org_id }).find({})),
  ];
  expect(stored).toHaveLength(6);
  expect(JSON.stringify(stored)).not.toContain(address);
  const own = createPseudonymizer('secret')(site.project_id, address);
  expect(stored.filter(({ _id }) => _id.includes(own))).toHaveLength(2);
  expect(createPseudonymizer('another secret')(site.project_id, address)).not.toBe(own);
  for (const row of stored) {
    const isDaily = row._id.startsWith(org_id);
    if ('used' in row || 'at' in row) expect(row.expire_at?.getTime()).toBeLessThanOrEqual(hour + (isDaily ? 25 : 1) * 3600_000 + 60_000);
  }
});

test('a submission to a deleted project is refused and not stored', async () => {
  const site = newSite({ deleted: true });
  await expect(accept(site)).rejects.toEqual(refusal('not_here'));
  expect(await storedSubmissions(site)).toEqual([]);
});
