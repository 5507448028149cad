import { Authenticator } from '../../../harness/authenticator.ts';
import { connectedAgent } from '../../../harness/connected-agent.ts';
import { mailedLink } from '../../../harness/mails.ts';
import { confirmLink, owner, Person } from '../../../harness/person.ts';
import { invitationToken } from '../../../harness/team.ts';
import type { PlatformFacts } from '../../../harness/test-platform.ts';
import { totp } from '../../../harness/totp.ts';
import type { Findings } from '../outcome.ts';

const resetLink = /http\S+\/reset-password\?token=[\w.-]+/;

/** Whatever AUTH_SECRET signs or seals, made at one moment. */
export type SignedThings = Awaited<ReturnType<typeof makeSignedThings>>;

/** A person with a second factor, a passkey and an agent; a guest who has mails; and sign-ins that have begun. */
export async function makeSignedThings(platform: PlatformFacts) {
  const ada = await owner({ platform });
  const factor = (await ada.auth('/two-factor/enable', { password: ada.password })).expect(200).body;
  (await ada.auth('/two-factor/verify-totp', { code: totp(factor.totpURI) })).expect(200);
  const { options } = (await ada.auth('/passkey/register-options', {})).expect(200).body;
  const device = new Authenticator();
  const response = device.create(options, { origin: platform.origins[0] ?? '' });
  (await ada.auth('/passkey/register', { name: 'Laptop', response })).expect(200);
  const agent = await connectedAgent(ada);
  const guest = new Person({ platform });
  (await guest.signUp({})).expect(200);
  (await ada.api.post('/account/invitations', { email: guest.email, role: 'viewer' })).expect(201);
  const links = {
    confirm: await mailedLink(platform, guest.email, confirmLink),
    invitation: await invitationToken(guest.email, platform),
    reset: await resetLinkOf(ada),
  };
  const home = new Person({ platform, email: ada.email });
  (await home.signIn(ada.password)).expect(200);
  const visitor = new Person({ platform });
  const challenge = (await visitor.auth('/passkey/sign-in-options', {})).expect(200).body.options;
  return { ada, backupCodes: factor.backupCodes as string[], device, agent, guest, links, home, visitor, challenge };
}

async function resetLinkOf(person: Person): Promise<string> {
  (await person.auth('/request-password-reset', { email: person.email })).expect(200);
  return new URL(await mailedLink(person.platform, person.email, resetLink)).searchParams.get('token') ?? '';
}

/** Uses them, after another list was put in place. */
export async function useSignedThings(things: SignedThings, findings: Findings, when: string): Promise<void> {
  const { ada, backupCodes, device, agent, guest, links, home, visitor, challenge } = things;
  const check = ({ status }: { status: number }, wanted: number, what: string) =>
    findings.check(status === wanted, `${when}: ${what} got ${status} instead of ${wanted}`);
  check(await ada.api.get('/account/members'), 200, 'a session');
  check(await home.auth('/two-factor/verify-backup-code', { code: backupCodes[0] }), 200, 'a second factor, asked for before');
  check(await ada.auth('/two-factor/generate-backup-codes', { password: ada.password }), 200, 'a session at the sign-in library');
  check(await guest.followConfirmLink(links.confirm), 200, 'a mailed link that confirms an address');
  check(await guest.api.post('/account/invitations/accept', { token: links.invitation }), 200, "a member's invitation");
  const origin = ada.platform.origins[0] ?? '';
  check(await visitor.auth('/passkey/sign-in', { response: device.get(challenge, { origin }) }), 200, 'a passkey, asked for before');
  const refreshed = await agent.post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: agent.refreshToken,
    client_id: agent.clientId,
  });
  check(refreshed, 200, "an agent's refresh");
  const newPassword = `${ada.password}-new`;
  check(await new Person({ platform: ada.platform }).auth('/reset-password', { token: links.reset, newPassword }), 200, 'a mailed reset');
}

/** Signs in with a second factor in a browser that is new to the account. */
export async function useSecondFactor({ ada, backupCodes }: SignedThings, findings: Findings, when: string): Promise<void> {
  const browser = new Person({ platform: ada.platform, email: ada.email });
  (await browser.signIn(ada.password)).expect(200);
  const { status } = await browser.auth('/two-factor/verify-backup-code', { code: backupCodes.pop() });
  findings.check(status === 200, `${when}: a second factor got ${status}`);
}

/** What a removed secret signed is refused. */
export async function refuseSignedThings({ ada, guest, links }: SignedThings, findings: Findings): Promise<void> {
  const confirmed = await guest.followConfirmLink(links.confirm);
  findings.check(confirmed.status === 401, `a link that confirms an address got ${confirmed.status} without its secret`);
  const { status } = await ada.auth('/two-factor/generate-backup-codes', { password: ada.password });
  findings.check(status === 401, `a cookie got ${status} from the sign-in library without its secret`);
}
