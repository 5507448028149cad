import mongoose from 'mongoose';
import { refusal, visitedTexts } from '../testing/calls.ts';
import { cname, makeDue, publishedProject, someName, useDomains } from '../testing/claimed-domains.ts';
import { maxUnprovenMs } from './domain.ts';

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
  expect(await claimed()).toMatchObject({ status: 'active', error: expect.stringContaining('TXT record is missing: add it again before') });
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
