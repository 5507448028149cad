import { randomUUID } from 'node:crypto';
import { scoped } from '@webkiln/store';
import { useForms } from '../testing/running-forms.ts';
import { keptOf, toldOf } from '../testing/sent-forms.ts';
import { newSite, type TestSite } from '../testing/test-sites.ts';
import { acceptSubmission, type Sent } from './accept-submission.ts';
import { FormRefusal } from './form-refusal.ts';
import { QuotaModel } from './quota-store.ts';
import { RepeatModel } from './repeat-store.ts';
import { SubmissionModel } from './submission-store.ts';
import { visitorNames } from './visitor.ts';

const { stream } = useForms();
/** The first moment of an hour; a coming one, since MongoDB removes by its own clock what has had its time. */
const hour = (Math.floor(Date.now() / 3600_000) + 1) * 3600_000;
let now = hour;
beforeEach(() => {
  now = hour;
});

/** As several replicas would, which share the store and nothing else. */
const accept = (site: TestSite, more: Partial<Sent> = {}, perSiteHour = 1000) => {
  const { org_id, project_id } = site;
  const fields = [{ name: 'message', values: [randomUUID()] }];
  const controls = { next: undefined, trapped: false };
  const sent = { org_id, project_id, form: 'contact', page: '/', fields, controls, address: randomUUID(), ...more };
  return acceptSubmission({ visitorName: visitorNames('secret'), perSiteHour, now: () => new Date(now) }, sent);
};
const refusal = (reason: string) => expect.objectContaining({ reason });
const spamOf = async (site: TestSite) => (await keptOf(site)).map(({ spam }) => spam);
const trapped = { controls: { next: undefined, trapped: true } };

test('spam is kept apart, told to nobody, and goes after 30 days; what is none stays', async () => {
  const site = newSite();
  await accept(site, trapped);
  now += 1000;
  await accept(site);
  expect((await keptOf(site)).map(({ spam, expire_at }) => [spam, expire_at])).toEqual([
    [true, new Date(hour + 30 * 24 * 3600_000)],
    [false, null],
  ]);
  expect(await toldOf(stream, site)).toHaveLength(1);
});

test('what one address sends to one site beyond five in a minute is spam; in the next minute, and at other sites, it is not', async () => {
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

test('what one address sends to one site beyond sixty in an hour is spam, however slowly', async () => {
  const [site, address] = [newSite(), '192.0.2.2'];
  for (let sent = 0; sent < 61; sent++) {
    now = hour + sent * 30_000;
    await accept(site, { address });
  }
  expect((await spamOf(site)).filter(Boolean)).toHaveLength(1);
});

test('a site takes as many in an hour as it may, exactly, however many come at once; spam does not use up what people have', async () => {
  const site = newSite();
  const sent = await Promise.allSettled([...Array(30)].flatMap(() => [accept(site, {}, 10), accept(site, trapped, 10)]));
  const refused = sent.filter((each) => each.status === 'rejected');
  expect(refused).toHaveLength(40);
  for (const { reason } of refused) expect([reason instanceof FormRefusal, reason]).toEqual([true, refusal('too_many_submissions')]);
  expect((await spamOf(site)).sort()).toEqual([...Array(10).fill(false), ...Array(10).fill(true)]);
  now += 3600_000;
  await accept(site, {}, 10);
  expect(await keptOf(site)).toHaveLength(21);
});

test('equal submissions of one visitor within ten seconds are one, at once or one after the other; of others, or later, they are their own', async () => {
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
  expect(await toldOf(stream, site)).toHaveLength(4);
});

test('no address is stored, in whatever form it could be tried out, and quotas and repeats go by themselves', async () => {
  const [site, address] = [newSite(), '198.51.100.7'];
  await accept(site, { address });
  const { org_id } = site;
  const stored = [
    ...(await scoped(QuotaModel, { org_id }).find({})),
    ...(await scoped(RepeatModel, { org_id }).find({})),
    ...(await scoped(SubmissionModel, { org_id }).find({})),
  ];
  expect(stored).toHaveLength(5);
  expect(JSON.stringify(stored)).not.toContain(address);
  const own = visitorNames('secret')(site.project_id, address);
  expect(stored.filter(({ _id }) => _id.includes(own))).toHaveLength(2);
  expect(visitorNames('another secret')(site.project_id, address)).not.toBe(own);
  for (const row of stored) {
    if ('used' in row || 'at' in row) expect(row.expire_at?.getTime()).toBeLessThanOrEqual(hour + 3660_000);
  }
});

test('with the project gone nothing is kept', async () => {
  const site = newSite({ gone: true });
  await expect(accept(site)).rejects.toEqual(refusal('not_here'));
  expect(await keptOf(site)).toEqual([]);
});
