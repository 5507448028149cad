import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mailerFor } from '@webkiln/mail';
import { platformLimits } from '@webkiln/standing/settings';
import { until } from '@webkiln/store/testing';
import { ErasedAddresses } from '../accounts/erased-addresses.ts';
import { entriesAfter } from '../audit/audit-store.ts';
import { MailAdmission } from '../mails/mail-admission.ts';
import { onAccountAct } from '../reactions/on-account-act.ts';
import { onAudited } from '../reactions/on-audited.ts';
import { authKeys } from '../testing/running-identity.ts';
import { errorOf, tokensOf } from './testing/agent.ts';
import { origin } from './testing/browser.ts';
import { newPerson, useOauth } from './testing/use-oauth.ts';

const oauth = useOauth();
const recipients = { mails: { perHour: 3, perDay: 10 }, agreedForms: { perHour: 60, perDay: 300 } };
const admission = new MailAdmission(authKeys, recipients, { ...platformLimits, QUOTA_MAILS_NEW: 20 });
/** True for mails that were sent, by their ids. */
const admitted = new Map<string, boolean>();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'webkiln-mails-'));
  const mailer = mailerFor({ MAIL_DIR: folder }, async ({ messageId: id, to, ...mail }) => {
    const isAdmitted = await admission.admit({ ...mail, id, recipient: to.address });
    if (to.address === flooded) admitted.set(id, isAdmitted);
    return isAdmitted;
  });
  onAudited(new ErasedAddresses(authKeys));
  onAccountAct({ mailer, from: { name: 'Webkiln', address: 'webkiln@example.com' }, origin });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The person whose mails a test counts. */
let flooded = '';

type Person = Awaited<ReturnType<typeof newPerson>>;

async function connected(person: Person, name: string) {
  const agent = oauth.agent();
  await agent.register({ client_name: name });
  const code = await agent.code(person.email, person.password);
  return { agent, code, tokens: await tokensOf(await agent.exchange(code)) };
}

/** The agents in whose name a second use was audited, once there is at least one. */
async function auditedAgents({ org_id }: Person): Promise<(string | null)[]> {
  let names: (string | null)[] = [];
  await until(async () => {
    const entries = await entriesAfter({ org_id }, 0, 100);
    names = entries.filter(({ action }) => action === 'agent.token_reused').map(({ target }) => target.name);
    return names.length > 0;
  });
  return names;
}

test('a second use of a refresh token is audited once, however often it is repeated; a retry and a revocation are not', async () => {
  const person = await newPerson();
  const [retried, revoked, copied] = [
    await connected(person, 'Retried'),
    await connected(person, 'Revoked'),
    await connected(person, 'Copied'),
  ];
  for (const _ of [1, 2]) await tokensOf(await retried.agent.refresh(retried.tokens.refresh_token));
  await revoked.agent.post('/oauth/revoke', { token: revoked.tokens.refresh_token, client_id: revoked.agent.clientId });
  expect(await errorOf(await revoked.agent.refresh(revoked.tokens.refresh_token))).toEqual([400, 'invalid_grant']);
  const { refresh_token } = await tokensOf(await copied.agent.refresh(copied.tokens.refresh_token));
  await tokensOf(await copied.agent.refresh(refresh_token));
  for (const _ of [1, 2]) expect(await errorOf(await copied.agent.refresh(copied.tokens.refresh_token))).toEqual([400, 'invalid_grant']);
  expect(await auditedAgents(person)).toEqual(['Copied']);
});

test('a second use of a code is audited, and one by another client is none', async () => {
  const person = await newPerson();
  const { agent, code, tokens } = await connected(person, 'Copied');
  const stranger = oauth.agent();
  await stranger.register();
  expect(await errorOf(await stranger.exchange(code, { code_verifier: agent.verifier }))).toEqual([400, 'invalid_grant']);
  await tokensOf(await agent.refresh(tokens.refresh_token));
  expect(await errorOf(await agent.exchange(code))).toEqual([400, 'invalid_grant']);
  expect(await auditedAgents(person)).toEqual(['Copied']);
});

test('a person gets at most 3 mails an hour about it, and those use up none of the notices that only the person can cause', async () => {
  const person = await newPerson();
  flooded = person.email;
  for (const name of ['One', 'Two', 'Three', 'Four']) {
    const { agent, code } = await connected(person, name);
    expect(await errorOf(await agent.exchange(code))).toEqual([400, 'invalid_grant']);
  }
  await until(async () => admitted.size === 4);
  expect([...admitted.values()].filter((isAdmitted) => isAdmitted)).toHaveLength(3);
  const notice = { id: 'a notice', org_id: '', recipient: person.email, purpose: 'notice', isRecipients: true };
  expect(await admission.admit(notice)).toBe(true);
});
