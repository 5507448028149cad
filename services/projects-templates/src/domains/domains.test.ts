import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, present, refusal, visitedTexts } from '../testing/calls.ts';
import { cname, makeDue, person, publishedProject, someName, useDomains } from '../testing/claimed-domains.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { maxUnprovenMs } from './domain.ts';

describe('domains', () => {
  const { names, addRecords, checkDue } = useDomains();

  test('a domain says what to add, what is wrong, and is live once its records are there', async () => {
    const { id, add, verify, list, project } = await publishedProject();
    const name = someName();
    const added = await add(name);
    expect(added).toMatchObject({ name, type: 'custom', status: 'pending', ssl_status: 'pending', is_primary: false });
    const [proof] = added.dns_records;
    expect(added.dns_records).toEqual([
      {
        type: 'TXT',
        name: `_site-verify.${name}`,
        value: expect.stringMatching(/^webkiln-site-verification=\w{40}$/),
        observed: [],
        ok: false,
      },
      { type: 'CNAME', name, value: cname, observed: [], ok: false },
    ]);
    expect((await verify(added.id)).error).toContain(`add a TXT record at _site-verify.${name} with the value ${proof?.value}.`);
    names().zone = { ...names().zone, [`_site-verify.${name}`]: { TXT: ['something else'] } };
    expect((await verify(added.id)).error).toContain('has another value (something else)');
    names().zone = {
      ...names().zone,
      [`_site-verify.${name}`]: { TXT: ['other', proof?.value ?? ''] },
      [name]: { CNAME: 'elsewhere.example' },
    };
    const half = await verify(added.id);
    expect(half).toMatchObject({ status: 'verifying', error: expect.stringContaining(`${name} points to elsewhere.example and not here`) });
    expect(await visitedTexts(name)).toBeUndefined();
    addRecords(added);
    const active = await verify(added.id);
    expect(active).toMatchObject({ status: 'active', ssl_status: 'active', is_primary: true });
    expect(active).not.toHaveProperty('error');
    expect(await visitedTexts(name)).toEqual({ 'index.html': id });
    expect(await project()).toMatchObject({ custom_domain: name, custom_domain_status: 'active' });
    expect((await list()).map(({ type, is_primary }) => [type, is_primary])).toEqual([
      ['subdomain', false],
      ['custom', true],
    ]);
  });

  test('a due domain becomes active by itself, whoever checks it, and is checked again later', async () => {
    const { id, add, list } = await publishedProject();
    const domain = await add(someName());
    addRecords(domain);
    await makeDue(domain.id);
    await Promise.all([checkDue(), checkDue(), checkDue()]);
    expect(await visitedTexts(domain.name)).toEqual({ 'index.html': id });
    expect((await list()).at(-1)).toMatchObject({ status: 'active' });
  });

  test('checks are a minute apart at first and an hour later, and end after 7 days', async () => {
    const { add, list, verify } = await publishedProject();
    const { id } = await add(someName());
    const domains = mongoose.connection.collection<{ _id: string; next_check_at: Date | null; last_checked_at: string }>('domains');
    const minutes: number[] = [];
    for (const checks of [0, 1, 4, 40]) {
      await makeDue(id, { checks });
      await checkDue();
      const { next_check_at, last_checked_at } = present(await domains.findOne({ _id: id }));
      minutes.push((Number(next_check_at) - Date.parse(last_checked_at)) / 60_000);
    }
    expect(minutes).toEqual([1, 2, 16, 60]);
    await makeDue(id, { created_at: new Date(Date.now() - 8 * 86_400_000).toISOString() });
    await checkDue();
    const failed = present((await list()).at(-1));
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('7 days') });
    expect((await domains.findOne({ _id: id }))?.next_check_at).toBeNull();
    addRecords(failed);
    expect(await verify(id)).toMatchObject({ status: 'active' });
  });

  test('several projects may claim a name, and the first that proves it has it, until it lets go', async () => {
    const [one, two] = await Promise.all([publishedProject(), publishedProject()]);
    const name = someName();
    const [first, second] = [await one.add(name), await two.add(name)];
    addRecords(second);
    expect(await two.verify(second.id)).toMatchObject({ status: 'active' });
    const proof = (domain: typeof first) => domain.dns_records[0]?.value ?? '';
    names().zone = { ...names().zone, [`_site-verify.${name}`]: { TXT: [proof(first), proof(second)] } };
    expect(await one.verify(first.id)).toMatchObject({ status: 'verifying', error: expect.stringContaining('another website') });
    await expect((await publishedProject()).add(name)).rejects.toEqual(refusal('domain_taken'));
    expect(await visitedTexts(name)).toEqual({ 'index.html': two.id });
    await two.remove(second.id);
    expect(await visitedTexts(name)).toBeUndefined();
    expect(await one.verify(first.id)).toMatchObject({ status: 'active' });
    expect(await visitedTexts(name)).toEqual({ 'index.html': one.id });
  });

  test('projects of clients who joined by a link have a tenth of the domains together; a deleted one makes room, and others go on', async () => {
    const own = await publishedProject();
    const { org, caller } = own;
    const joinedProject = () => newProject(org, { client: fakeClient(org, { joined_by_link: true }) });
    const joined = await Promise.all([joinedProject(), joinedProject()]);
    const addTo = (at: number) => call('projects.AddDomain', { project_id: joined[at % 2]?.id ?? '', domain: someName() }, caller);
    const added = await Promise.allSettled(Array.from({ length: 12 }, (_, at) => addTo(at)));
    const refused = added.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    const details = [{ path: 'domains', message: expect.stringContaining('clients who joined by a link may have 10 custom domains') }];
    expect(refused).toMatchObject([1, 2].map(() => ({ code: 'quota_exceeded', details })));
    await own.add(someName());
    await call('projects.DeleteProject', { project_id: joined[0]?.id ?? '' }, caller);
    await addTo(1);
  });

  test('of claims that are proven at once one is active', async () => {
    const projects = await Promise.all([publishedProject(), publishedProject(), publishedProject()]);
    const name = someName();
    const claims = await Promise.all(projects.map(({ add }) => add(name)));
    names().zone = {
      ...names().zone,
      [`_site-verify.${name}`]: { TXT: claims.map(({ dns_records }) => dns_records[0]?.value ?? '') },
      [name]: { CNAME: cname },
    };
    const checked = await Promise.all(projects.map(({ verify }, index) => verify(claims[index]?.id ?? '')));
    expect(checked.map(({ status }) => status).toSorted()).toEqual(['active', 'verifying', 'verifying']);
  });

  test('a deleted project frees its names', async () => {
    const [gone, next] = await Promise.all([publishedProject(), publishedProject()]);
    const name = someName();
    const domain = await gone.add(name);
    addRecords(domain);
    await gone.verify(domain.id);
    await call('projects.DeleteProject', { project_id: gone.id }, gone.caller);
    expect(await mongoose.connection.collection('domains').countDocuments({ org_id: gone.org })).toBe(0);
    const again = await next.add(name);
    addRecords(again);
    expect(await next.verify(again.id)).toMatchObject({ status: 'active' });
  });

  test('a domain itself takes an address, and a name that answers with the address is accepted for a CNAME', async () => {
    const { add, verify } = await publishedProject();
    const apex = await add(someName().replace('www.', ''));
    expect(apex.dns_records[1]).toMatchObject({ type: 'A', name: apex.name, value: '192.0.2.1' });
    addRecords(apex);
    expect(await verify(apex.id)).toMatchObject({ status: 'active' });
    const flat = await add(someName());
    addRecords(flat);
    names().zone = { ...names().zone, [flat.name]: { A: ['192.0.2.1'] } };
    expect(await verify(flat.id)).toMatchObject({ status: 'active' });
  });

  test('addresses inside a network are not shown, neither of a name itself nor behind an alias', async () => {
    const { add, verify } = await publishedProject();
    const [apex, name] = [await add(someName().replace('www.', '')), await add(someName())];
    const inside = {
      A: ['10.0.0.7', '127.0.0.1', '169.254.169.254', '192.168.1.1', '8.8.4.4'],
      AAAA: ['::1', 'fe80::1', 'fd00::7', '2606:4700::1111'],
    };
    names().zone = { ...names().zone, [apex.name]: inside, [name.name]: inside };
    const hidden = (count: number) => Array(count).fill('an address that is not public');
    expect((await verify(apex.id)).dns_records[1]?.observed).toEqual([...hidden(4), '8.8.4.4']);
    expect((await verify(name.id)).dns_records[1]?.observed).toEqual([...hidden(4), '8.8.4.4', ...hidden(3), '2606:4700::1111']);
    for (const { id } of [apex, name])
      expect(JSON.stringify(await verify(id))).not.toMatch(/10\.0\.0\.7|127\.0|169\.254|192\.168|fe80|fd00/);
  });

  test('names are kept as DNS has them, and adding one again gives the same claim', async () => {
    const { add, list } = await publishedProject();
    const mark = randomBytes(6).toString('hex');
    const added = await add(` Bäckerei.${mark.toUpperCase()}.Com. `);
    expect(added.name).toBe(`xn--bckerei-5wa.${mark}.com`);
    expect((await Promise.all([add(added.name), add(added.name)])).map(({ id }) => id)).toEqual([added.id, added.id]);
    expect(await list()).toHaveLength(2);
  });

  test.each([
    '',
    'localhost',
    'internal.svc.cluster.local',
    'www.shop.internal',
    'printer.home.arpa.local',
    'www.shop.example',
    'co.uk',
    'github.io',
    '192.0.2.1',
    'a b.example',
    '-a.example',
    'shop.sites.example.net',
    'app.example.com',
  ])('%j is no domain that can be added', async (domain) => {
    const { add } = await publishedProject();
    await expect(add(domain)).rejects.toMatchObject({ code: 'validation_failed', details: [{ path: 'domain' }] });
  });

  test('a site moves to another subdomain at once, unless that is taken, reserved or no name', async () => {
    const [one, two] = await Promise.all([publishedProject(), publishedProject()]);
    const { subdomain: before } = await one.project();
    const wanted = `moved-${randomBytes(6).toString('hex')}`;
    expect(await one.rename(wanted.toUpperCase())).toMatchObject({
      name: `${wanted}.${cname}`,
      type: 'subdomain',
      status: 'active',
      is_primary: true,
    });
    expect(await visitedTexts(wanted)).toEqual({ 'index.html': one.id });
    expect(await visitedTexts(before ?? '')).toBeUndefined();
    await expect(two.rename(wanted)).rejects.toEqual(refusal('subdomain_taken'));
    for (const name of ['www', 'admin', 'ab', 'a_b', '-ab', 'xn--abc']) {
      await expect(two.rename(name)).rejects.toMatchObject({ code: 'validation_failed', details: [{ path: 'subdomain' }] });
    }
    const { id } = await newProject(one.org);
    const unpublished = call('projects.AddDomain', { project_id: id, subdomain: `${wanted}-2` }, one.caller);
    await expect(unpublished).rejects.toEqual(refusal('site_not_published'));
  });

  test('a subdomain that could be taken for a brand or a sign-in page is refused with the word', async () => {
    const { rename } = await publishedProject();
    for (const [name, word] of [
      ['paypal-login', 'paypal'],
      ['my-g00gle', 'google'],
      ['bakery-signin', 'signin'],
    ]) {
      const details = [{ path: 'subdomain', message: expect.stringContaining(`must not contain ${word},`) }];
      await expect(rename(name ?? '')).rejects.toMatchObject({ code: 'validation_failed', details });
    }
  });

  test('a client adds domains if its plan includes them, and to its own projects alone', async () => {
    const org = randomUUID();
    const client = fakeClient(org, { rights: { can_export_code: true, can_use_custom_domain: false } });
    const { id } = await newProject(org, { client });
    const user = (user_id: string) =>
      testCaller(org, { principal: { ...testCaller(org).principal, kind: 'session', role: 'client', user_id } });
    const add = (caller: IncomingCaller) => call('projects.AddDomain', { project_id: id, domain: someName() }, caller);
    await expect(add(user(client.user_id))).rejects.toEqual(refusal('custom_domain_not_allowed'));
    await expect(add(user(randomUUID()))).rejects.toEqual(refusal('project_not_found'));
    await expect(add(testCaller(org))).rejects.toEqual(refusal('person_required'));
    await add(person(org));
  });

  test('an operator checks a domain by its name, of the organization that it names alone', async () => {
    const { org, id, add } = await publishedProject();
    const added = await add(someName());
    const operator = (org_id: string) => testCaller(org_id, { principal: { ...testCaller(org_id).principal, kind: 'operator' } });
    const check = (org_id: string) => call('sites.CheckDomain', { name: added.name.toUpperCase() }, operator(org_id));
    expect((await check(org)).domains).toMatchObject([
      { project_id: id, status: 'pending', error: expect.stringContaining('add a TXT record') },
    ]);
    addRecords(added);
    expect((await check(org)).domains).toMatchObject([{ status: 'active', records: [{ ok: true }, { ok: true }] }]);
    expect(await visitedTexts(added.name)).toEqual({ 'index.html': id });
    await expect(check(randomUUID())).rejects.toEqual(refusal('domain_not_found'));
    await expect(call('sites.CheckDomain', { name: added.name }, person(org))).rejects.toEqual(refusal('role_missing'));
  });
});

describe('proofs', () => {
  const { names, addRecords, checkDue } = useDomains();

  type Claim = Parameters<typeof addRecords>[0];

  /** The owner of a name has exactly these proofs there, and the name points here. */
  function showProofs(name: string, claims: readonly Claim[]): void {
    const TXT = claims.map(({ dns_records }) => dns_records[0]?.value ?? '');
    names().zone = { ...names().zone, [`_site-verify.${name}`]: { TXT }, [name]: { CNAME: cname } };
  }

  /** A site that is live under a name of its own. */
  async function liveSite(name = someName()) {
    const site = await publishedProject();
    const claim = await site.add(name);
    addRecords(claim);
    await site.verify(claim.id);
    expect(await visitedTexts(name)).toEqual({ 'index.html': site.id });
    const claimed = async () => (await site.list()).find(({ id }) => id === claim.id);
    return { ...site, name, claim, claimed };
  }

  const stored = (_id: string) =>
    mongoose.connection.collection<{ _id: string; next_check_at: Date; unproven_since: string | null }>('domains').findOne({ _id });
  const hoursToNextCheck = async (id: string) => Math.round((Number((await stored(id))?.next_check_at) - Date.now()) / 3_600_000);
  const longAgo = () => new Date(Date.now() - maxUnprovenMs).toISOString();

  test('an active domain is proven again each day, by its TXT record alone', async () => {
    const { id, name, claim, claimed } = await liveSite();
    expect(await hoursToNextCheck(claim.id)).toBe(24);
    names().zone = { ...names().zone, [name]: { A: ['192.0.2.9'] } };
    await makeDue(claim.id);
    await checkDue();
    expect(await hoursToNextCheck(claim.id)).toBe(24);
    expect(await claimed()).toMatchObject({ status: 'active' });
    expect(await visitedTexts(name)).toEqual({ 'index.html': id });
  });

  test('a domain whose proof is missing for 3 days is not live any more, and is again when the proof is back', async () => {
    const { id, name, claim, claimed, project } = await liveSite();
    showProofs(name, []);
    await makeDue(claim.id);
    await checkDue();
    expect(await claimed()).toMatchObject({
      status: 'active',
      error: expect.stringContaining('TXT record is missing: add it again before'),
    });
    expect([await visitedTexts(name), await hoursToNextCheck(claim.id)]).toEqual([{ 'index.html': id }, 1]);
    await makeDue(claim.id, { unproven_since: longAgo(), created_at: longAgo() });
    await Promise.all([checkDue(), checkDue()]);
    expect(await claimed()).toMatchObject({ status: 'verifying', error: expect.stringContaining('not live here any more') });
    expect([await visitedTexts(name), (await project()).custom_domain]).toEqual([undefined, undefined]);
    showProofs(name, [claim]);
    await makeDue(claim.id);
    await checkDue();
    expect((await claimed())?.status).toBe('active');
    expect(await visitedTexts(name)).toEqual({ 'index.html': id });
  });

  test('a proof that comes back in time ends the count; while name servers do not answer, nothing is counted', async () => {
    const { name, claim, claimed } = await liveSite();
    showProofs(name, []);
    await makeDue(claim.id);
    await checkDue();
    showProofs(name, [claim]);
    await makeDue(claim.id);
    await checkDue();
    expect((await stored(claim.id))?.unproven_since).toBeNull();
    expect(await claimed()).not.toHaveProperty('error');
    names().isSilent = true;
    await makeDue(claim.id);
    await checkDue();
    names().isSilent = false;
    expect([(await claimed())?.status, (await stored(claim.id))?.unproven_since, await hoursToNextCheck(claim.id)]).toEqual([
      'active',
      null,
      1,
    ]);
  });

  test('a domain that was lost is looked for over 7 days more, however old its claim is', async () => {
    const { name, claim, claimed } = await liveSite();
    showProofs(name, []);
    await makeDue(claim.id, { unproven_since: longAgo(), created_at: new Date(0).toISOString() });
    await checkDue();
    await makeDue(claim.id);
    await checkDue();
    expect(await claimed()).toMatchObject({ status: 'verifying' });
    await makeDue(claim.id, { sought_since: new Date(Date.now() - 7 * 86_400_000).toISOString() });
    await checkDue();
    expect((await claimed())?.status).toBe('failed');
  });

  test('the real owner of a name gets it as soon as the proof of the site before is gone, and not earlier', async () => {
    const before = await liveSite();
    const { name } = before;
    const owner = await publishedProject();
    await expect(owner.add(name)).rejects.toEqual(refusal('domain_taken'));
    showProofs(name, []);
    const claim = await owner.add(name);
    showProofs(name, [before.claim, claim]);
    expect(await owner.verify(claim.id)).toMatchObject({ status: 'verifying', error: expect.stringContaining('another website') });
    expect(await visitedTexts(name)).toEqual({ 'index.html': before.id });
    showProofs(name, [claim]);
    expect(await owner.verify(claim.id)).toMatchObject({ status: 'active', is_primary: true });
    expect(await visitedTexts(name)).toEqual({ 'index.html': owner.id });
    expect(await before.claimed()).toMatchObject({
      status: 'verifying',
      is_primary: false,
      error: expect.stringContaining('proven this domain'),
    });
    expect((await before.project()).custom_domain).toBeUndefined();
  });

  test('of several claims that are proven at once against a site that is not, one is live', async () => {
    const before = await liveSite();
    showProofs(before.name, []);
    const owners = await Promise.all([publishedProject(), publishedProject(), publishedProject()]);
    const claims = await Promise.all(owners.map(({ add }) => add(before.name)));
    showProofs(before.name, claims);
    const checked = await Promise.all(owners.map(({ verify }, at) => verify(claims[at]?.id ?? '')));
    expect(checked.map(({ status }) => status).toSorted()).toEqual(['active', 'verifying', 'verifying']);
    const live = await Promise.all([before, ...owners].map(async ({ project }) => (await project()).custom_domain));
    expect(live.filter((domain) => domain === before.name)).toHaveLength(1);
  });
});
