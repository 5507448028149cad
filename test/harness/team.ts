import type { Client, Role } from '@webkiln/contract';
import { linkTo } from './mails.ts';
import { owner, Person } from './person.ts';
import { sharedPlatform } from './shared-platform.ts';

export const activationLink = /http\S+\/activate\?token=[\w.-]+/;
const invitationLink = /http\S+\/accept-invitation\?token=[\w.-]+/;

/** The token in the newest invitation to work with somebody that came to an address. */
export async function invitationTo(email: string, platform = sharedPlatform()): Promise<string> {
  const link = await linkTo(platform, email, invitationLink);
  return new URL(link).searchParams.get('token') ?? '';
}

/** Somebody who signed up by himself, without an organization, and is signed in. */
export async function loner(platform = sharedPlatform()): Promise<Person> {
  const person = new Person({ platform });
  (await person.signUp({})).expect(200);
  await person.verify();
  (await person.signIn()).expect(200);
  return person;
}

/** A person who accepted an invitation to work with `boss`, and is signed in there. */
export async function colleague(boss: Person, role: Role): Promise<Person> {
  const person = await loner(boss.platform);
  (await boss.api.post('/account/invitations', { email: person.email, role })).expect(201);
  (await person.api.post('/account/invitations/accept', { token: await invitationTo(person.email, boss.platform) })).expect(200);
  return person;
}

/** An organization with one member of each role. */
export async function team(): Promise<Record<Role, Person>> {
  const boss = await owner();
  const [admin, developer, viewer] = await Promise.all([colleague(boss, 'admin'), colleague(boss, 'developer'), colleague(boss, 'viewer')]);
  return { owner: boss, admin, developer, viewer };
}

/** The member that a person is, as the organization's list shows it. */
export async function memberOf(person: Person, asking: Person): Promise<{ id: string; role: Role }> {
  const { members } = (await asking.api.get('/account/members')).expect(200).body;
  return members.find(({ email }: { email: string }) => email === person.email);
}

/** Follows the invitation that came to a client's address, and is signed in as the client's user. */
export async function activate(account: Person): Promise<void> {
  const link = new URL(await linkTo(account.platform, account.email, activationLink));
  const body = new URLSearchParams({ token: link.searchParams.get('token') ?? '', password: account.password });
  const answered = await fetch(new URL('/activate', link), { method: 'POST', body });
  if (answered.status !== 200) throw new Error(`the invitation was not accepted: ${answered.status}`);
  (await account.signIn()).expect(200);
}

/** A client of the person's organization who has activated his account, and is signed in as its user. */
export async function clientsUser(
  boss: Person,
  account = new Person({ platform: boss.platform }),
): Promise<{ person: Person; client: Client }> {
  const { client } = (await boss.api.post('/clients', { email: account.email })).expect(201).body;
  await activate(account);
  return { person: account, client };
}
