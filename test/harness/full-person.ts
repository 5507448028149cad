import { randomUUID } from 'node:crypto';
import { makeProject, makeWebhook } from '../contract/fixtures.ts';
import { agency } from './agency.ts';
import { Authenticator } from './authenticator.ts';
import { mailedLink } from './mails.ts';
import { lockAccount, unlockAccount } from './operator.ts';
import { changeLink, owner, Person } from './person.ts';
import { invitationToken } from './team.ts';
import type { PlatformFacts } from './test-platform.ts';

/** A person with records of every kind; those with a name or an address have `mark` in it. */
export interface FullPerson {
  readonly mark: string;
  readonly person: Person;
  readonly device: Authenticator;
  /** The organization that the person works in, its owner, and a key that the person made there. */
  readonly ours: { readonly id: string; readonly boss: Person; readonly key: { readonly id: string; readonly secret: string } };
  /** An organization that has invited the person, and its owner. */
  readonly theirs: { readonly id: string; readonly boss: Person };
}

const organizationOf = async ({ api }: Person): Promise<string> => (await api.get('/account/session')).expect(200).body.organization.id;

/** With `isAttacked` a stranger has tried passwords, which slows the sign-ins of new devices by ten seconds. */
export async function fullPerson(platform: PlatformFacts, { isAttacked = true } = {}): Promise<FullPerson> {
  // Connects to the platform as an operator.
  await agency(platform);
  const mark = `p${randomUUID()}`;
  const [boss, other] = [await owner({ platform }), await owner({ platform })];
  const first = new Person({ platform, email: `${mark}@example.com` });
  (await first.signUp({ name: mark })).expect(200);
  await first.confirmEmail();
  await lockAccount(first.email);
  await unlockAccount(first.email);
  (await first.signIn()).expect(200);
  (await boss.api.post('/account/invitations', { email: first.email, role: 'admin' })).expect(201);
  (await first.api.post('/account/invitations/accept', { token: await invitationToken(first.email, platform) })).expect(200);
  const person = await moved(first, `new-${mark}@example.com`);
  const { key, secret } = (await person.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
  const project = await makeProject(person.api);
  (await person.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'Fresh bread' } })).expect(200);
  await makeWebhook(person.api);
  const device = await withPasskey(person, mark);
  const stranger = new Person({ platform, email: person.email });
  for (let tried = 0; isAttacked && tried < 10; tried++) (await stranger.signIn('wrong password')).expect(401);
  (await stranger.auth('/request-password-reset', { email: person.email })).expect(200);
  // A sender may write the address in any case.
  (await other.api.post('/account/invitations', { email: person.email.toUpperCase(), role: 'viewer' })).expect(201);
  const ours = { id: await organizationOf(boss), boss, key: { id: key.id, secret } };
  return { mark, person, device, ours, theirs: { id: await organizationOf(other), boss: other } };
}

/** Changes the address; returns the person as it signs in from now on. */
async function moved(person: Person, newEmail: string): Promise<Person> {
  const { platform, password } = person;
  (await person.auth('/change-email', { newEmail, password })).expect(200);
  (await person.auth(await mailedLink(platform, person.email, changeLink))).expect(302);
  (await person.auth(await mailedLink(platform, newEmail, changeLink))).expect(302);
  const known = new Person({ platform, email: newEmail });
  (await known.signIn(password)).expect(200);
  return Object.assign(known, { password });
}

async function withPasskey(person: Person, name: string): Promise<Authenticator> {
  const device = new Authenticator();
  const { options } = (await person.auth('/passkey/register-options', {})).expect(200).body;
  const response = device.create(options, { origin: person.platform.origins[0] ?? '' });
  (await person.auth('/passkey/register', { name, response })).expect(200);
  return device;
}
