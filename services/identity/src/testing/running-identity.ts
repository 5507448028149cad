import { randomBytes, randomUUID } from 'node:crypto';
import { apiKeyDigest, parseApiKey, permissionsOf, type Role } from '@webkiln/contract';
import { closeEvents, connectEvents, eventsCheck, startRelay } from '@webkiln/events';
import { ownStream, removeStream } from '@webkiln/events/testing';
import { type Caller, callerFor, operatorPrincipal, type Principal, platformLimits, servicePrincipal } from '@webkiln/messages';
import { call, closePeers, connectPeers, generateSigningKey, peerState } from '@webkiln/rpc';
import { trustingVerifier } from '@webkiln/rpc/testing';
import type { SecretList } from '@webkiln/runtime';
import { until, useTestStore } from '@webkiln/store/testing';
import { keyHash } from '../keys/key-secret.ts';
import { AccountMailStore } from '../mails/account-mail-store.ts';
import { MailAdmission } from '../mails/mail-admission.ts';
import { SignInMails } from '../mails/sign-in-mails.ts';
import { memberIn } from '../members/member-store.ts';
import { serveIdentity } from '../server.ts';
import { createAuth } from '../sign-in/auth.ts';
import type { AuthKeys } from '../sign-in/auth-keys.ts';
import { usePasswordCost } from '../sign-in/password.ts';
import { passwordLinks } from '../sign-in/password-link.ts';

const timeoutMs = 120_000;

export const pepper = randomBytes(32);
export const authSecrets: SecretList = ['a'.repeat(32)];
export const authKeys: AuthKeys = { secrets: authSecrets, digestMaster: Buffer.from(authSecrets[0]) };

const as = (principal: Principal): Caller => callerFor(principal, { timeoutMs });
export const operator = (orgId?: string): Caller => as(operatorPrincipal(orgId));
export const service = (name: string, orgId = ''): Caller => as(servicePrincipal(name, orgId));
/** The caller of a request with an API key of the organization. */
export const apiKeyOf = (org_id: string): Caller =>
  as({ kind: 'api_key', org_id, credential_id: randomUUID(), permissions: ['read', 'write'] });

/** The caller of a member's session. */
export async function sessionOf(org_id: string, member_id: string, role: Role): Promise<Caller> {
  const { account_id } = present(await memberIn(org_id, member_id));
  return as({ kind: 'session', org_id, credential_id: randomUUID(), permissions: permissionsOf(role), account_id, role });
}

/** Resolves when NATS is connected. */
export const eventsAnswer = (): Promise<void> =>
  until(() =>
    eventsCheck().then(
      () => true,
      () => false,
    ),
  );

/** Runs identity in this process behind gRPC, on real stores, with its own database and stream. */
export function useIdentity(): void {
  const own = ownStream();
  let drain: () => Promise<void>;
  afterAll(async () => {
    await closePeers();
    await drain();
    await closeEvents();
    await removeStream(own.stream);
  });
  // afterAll hooks run in this order: the database is dropped after its users are closed.
  useTestStore();
  beforeAll(async () => {
    // As on test platforms: a sign-in at the default cost takes as long as all else that a test of OAuth does.
    usePasswordCost(10);
    await connectEvents(process.env.NATS_URL ?? '', 'identity', own);
    await eventsAnswer();
    startRelay();
    const { privateKey, publicKey } = generateSigningKey();
    const limits = { ...platformLimits, QUOTA_MAILS_NEW: 20 };
    const recipients = { mails: { perHour: 3, perDay: 10 }, agreedForms: { perHour: 60, perDay: 300 } };
    const origin = 'http://localhost';
    const mails = new SignInMails({ store: new AccountMailStore(authSecrets), origin });
    const settings = {
      KEY_PEPPER: [pepper] as const,
      authKeys,
      passwordLink: passwordLinks(createAuth({ origin, secrets: authSecrets, hashOf: keyHash([pepper]), mails }), origin),
      verifier: trustingVerifier('identity', publicKey),
      BIND_ADDRESS: '127.0.0.1',
      GRPC_PORT: 0,
      ERASE_AFTER_DAYS: 30,
      ORIGIN: origin,
      ...limits,
    };
    const server = await serveIdentity(settings, new MailAdmission(authKeys, recipients, limits));
    drain = server.drain;
    connectPeers({ issuer: 'test', signingKey: privateKey, transport: 'carried', addresses: { identity: `127.0.0.1:${server.port}` } });
    await until(() => peerState('identity') === 'ready');
  });
}

/** Creates an organization and returns its id. A suite may have more of one name than there are slugs for it. */
export async function newOrganization(wanted: { name?: string; rate_limit?: number } = {}): Promise<string> {
  const slug = randomUUID().replaceAll('-', '');
  const { organization } = await call('identity.CreateOrganization', { name: 'Kiln', slug, ...wanted }, operator());
  return present(organization).id;
}

export async function newMember(orgId: string, role: string, email = `${randomUUID()}@example.com`): Promise<string> {
  const { member } = await call('identity.AddMember', { email, role }, operator(orgId));
  return present(member).id;
}

export async function newKey(
  orgId: string,
  wanted: { name?: string; permissions?: string[]; expires_at?: string; created_by?: string } = {},
) {
  const { key, secret } = await call('identity.CreateKey', { name: 'CI', permissions: ['read'], ...wanted }, operator(orgId));
  return { ...present(key), secret };
}

/** The introspection results that a gateway gets for these keys. */
export async function introspectKeys(...secrets: string[]) {
  const { verdicts } = await call('identity.VerifyKeys', { key_digests: secrets.map(digestOf) }, service('gateway'));
  return verdicts;
}

export const digestOf = (secret: string): string => apiKeyDigest(present(parseApiKey(secret)));

/** Matches an `AppError` by its code and, if given, the path of its only detail. */
export const refusal = (code: string, path?: string) =>
  expect.objectContaining(path === undefined ? { code } : { code, details: [expect.objectContaining({ path })] });

export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('expected a value');
  return value;
}
