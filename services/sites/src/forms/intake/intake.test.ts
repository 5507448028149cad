import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { watchOrgPolicies } from '@webkiln/org-policy';
import { keys } from '@webkiln/rpc/testing';
import { scoped } from '@webkiln/store';
import mongoose from 'mongoose';
import { useForms } from '../../testing/running-forms.ts';
import { post, publishedEvents, storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite, type TestSite } from '../../testing/test-sites.ts';
import { SubmissionModel } from '../submissions/submission-store.ts';
import { acceptSubmission, createPseudonymizer, looksLikeSpam, paced, type SentForm } from './accept-submission.ts';
import { readFields } from './form-fields.ts';
import { FormRefusal } from './form-refusal.ts';
import { QuotaModel, secondsToMidnight, usedFormSubmissions } from './quota-store.ts';
import { RepeatModel } from './repeat-store.ts';

describe('accept submission', () => {
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
});

describe('crash', () => {
  const now = new Date();
  const running = useForms({ now: () => now });

  test('a submission whose process is killed before it responds is stored and published once, even if the visitor sends it again', async () => {
    const site = newSite();
    const child = fork(path.resolve(__dirname, '../../testing/dying-forms.ts'), {
      env: {
        PATH: process.env.PATH,
        MONGODB_URL: process.env.MONGODB_URL,
        DATABASE: mongoose.connection.name,
        PROJECTS: running.projects,
        SIGNING_KEY: keys.privateKey,
        NOW: now.toISOString(),
      },
      execArgv: [],
    });
    const [{ port }] = await once(child, 'message');
    const died = once(child, 'exit');
    const sent = ['a=b', { address: '192.0.2.1' }] as const;
    await expect(post(port, site, ...sent)).rejects.toThrow();
    expect(await died).toEqual([null, 'SIGKILL']);
    expect((await post(running.port, site, ...sent)).status).toBe(303);
    expect(await storedSubmissions(site)).toHaveLength(1);
    expect(await publishedEvents(running.stream, site)).toHaveLength(1);
  });
});

describe('paced forms', () => {
  useForms();

  test('of a flood of forms to one organization few are stored a second and few wait; those to others are stored at once', async () => {
    const [flooded, other] = [newSite(), newSite()];
    const options = { pseudonymize: createPseudonymizer('secret'), maxPerSiteHour: 1000 };
    const accept = paced((sent: SentForm) => acceptSubmission(options, sent), 500);
    const send = ({ org_id, project_id }: TestSite) => {
      const fields = [{ name: 'message', values: [randomUUID()] }];
      const controls = { next: undefined, trapped: false };
      return accept({ org_id, project_id, isOfJoined: false, form: 'contact', page: '/', fields, controls, address: randomUUID() });
    };
    const flood = Promise.allSettled(Array.from({ length: 200 }, () => send(flooded)));
    await send(other);
    expect(await storedSubmissions(other)).toHaveLength(1);
    const refused = (await flood).filter(({ status }) => status === 'rejected');
    // 20 are stored at once, and 10 a second for half a second.
    expect(refused.length).toBeGreaterThan(150);
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { reason: 'overloaded' } });
    expect(await storedSubmissions(flooded)).toHaveLength(200 - refused.length);
  });
});

describe('quota store', () => {
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
});

describe('spam', () => {
  const classify = (sent: Record<string, string>) => {
    const { fields, controls } = readFields(Object.entries(sent));
    return looksLikeSpam(fields, controls);
  };

  test.each([
    ['a filled honeypot', { message: 'Hello', _gotcha: 'x' }],
    ['six links', { a: 'http://a.example https://b.example www.c.example', b: 'HTTP://d.example www.e.example https://f.example' }],
    ['links in HTML', { message: 'See <a rel="x" HREF="//a.example">this</a>' }],
    ['links in BBCode', { message: '[url=//a.example]this[/url]' }],
  ])('%s is spam', (_what, sent) => {
    expect(classify(sent)).toBe(true);
  });

  test.each([
    ['an empty honeypot', { message: 'Hello', _gotcha: ' ' }],
    ['five links', { a: 'https://a.example https://b.example www.c.example https://d.example www.e.example' }],
    ['angle brackets', { message: 'a < b, <address> & [urls]' }],
  ])('%s is not spam', (_what, sent) => {
    expect(classify(sent)).toBe(false);
  });

  test('a long text of almost-links is classified without backtracking', () => {
    expect(classify(Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`f${index}`, '<a '.repeat(3_333)])))).toBe(false);
  });
});
