import type { Client, Role } from '@webkiln/contract';
import { mailedLink } from './mails.ts';
import { owner, Person } from './person.ts';
import { sharedPlatform } from './shared-platform.ts';

/** Matches the link in a client's invitation. */
export const activationLink = /http\S+\/activate\?token=[\w.-]+/;
const invitationLink = /http\S+\/accept-invitation\?token=[\w.-]+/;

/** Waits for a member invitation to the address; returns its token. */
export async function invitationToken(email: string, platform = sharedPlatform()): Promise<string> {
  const link = await mailedLink(platform, email, invitationLink);
  return new URL(link).searchParams.get('token') ?? '';
}

/** Signs up a person without an organization, and signs them in. */
export async function personWithoutOrganization(platform = sharedPlatform()): Promise<Person> {
  const person = new Person({ platform });
  (await person.signUp({})).expect(200);
  await person.confirmEmail();
  return person;
}

/** Signs up a person who accepts an invitation to the organization of `boss`, with a role; they are signed in there. */
export async function newMember(boss: Person, role: Role): Promise<Person> {
  const person = await personWithoutOrganization(boss.platform);
  (await boss.api.post('/account/invitations', { email: person.email, role })).expect(201);
  (await person.api.post('/account/invitations/accept', { token: await invitationToken(person.email, boss.platform) })).expect(200);
  return person;
}

/** Creates an organization with one member of each role, all signed in. */
export async function team(): Promise<Record<Role, Person>> {
  const boss = await owner();
  const [admin, developer, viewer] = await Promise.all([newMember(boss, 'admin'), newMember(boss, 'developer'), newMember(boss, 'viewer')]);
  return { owner: boss, admin, developer, viewer };
}

/** Returns the member record of a person, as `asking` sees it in the list of members. */
export async function findMember(person: Person, asking: Person): Promise<{ id: string; role: Role }> {
  const { members } = (await asking.api.get('/account/members')).expect(200).body;
  return members.find(({ email }: { email: string }) => email === person.email);
}

/** Opens the client invitation that was mailed to the account, activates it and signs in. */
export async function activateClientUser(account: Person): Promise<void> {
  const link = new URL(await mailedLink(account.platform, account.email, activationLink));
  const body = new URLSearchParams({ token: link.searchParams.get('token') ?? '', password: account.password });
  const response = await fetch(new URL('/activate', link), { method: 'POST', body });
  if (response.status !== 200) throw new Error(`the invitation was not accepted: ${response.status}`);
  (await account.signIn()).expect(200);
}

/** Creates a client of the organization of `boss`, activates its account and signs in as its user. */
export async function clientUser(
  boss: Person,
  account = new Person({ platform: boss.platform }),
): Promise<{ person: Person; client: Client }> {
  const { client } = (await boss.api.post('/clients', { email: account.email })).expect(201).body;
  await activateClientUser(account);
  return { person: account, client };
}
