import { AppError } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import type { SecretList } from '@webkiln/runtime';
import { signer, splitSigned } from '@webkiln/sealing';
import { etagOf, newId, saveChange, saveWithRetry } from '@webkiln/store';
import { type ClientState, changeClient, inviteAgain, isOpen, toClient } from '../clients/client.ts';
import { ClientModel, type ClientRecord, clientById, existingClient } from '../clients/client-store.ts';

/** The invitation that a link refers to. */
export interface Invitation {
  org_id: string;
  client_id: string;
  /** The client's number of invitations when the link was created. */
  invitation: number;
}

/** The tokens of activation links. They are signed, so nothing is stored for them. */
export interface InvitationTokens {
  issue(invitation: Invitation, issuedAt: Date): string;
  /** Returns the invitation. Throws `invitation_not_found` for forged and expired tokens. */
  read(token: string, now: Date): Invitation;
}

export const invitationDays = 7;
const lifetimeMs = invitationDays * 24 * 60 * 60 * 1000;

/**
 * Tokens `<base64url of the invitation and its expiry>.<base64url HMAC-SHA256>` (RFC 2104, RFC 4648 §5). The
 * first secret signs, each verifies.
 */
export function invitationTokens(secrets: SecretList): InvitationTokens {
  const { sign, isSigned } = signer(secrets);
  return {
    issue({ org_id, client_id, invitation }, issuedAt) {
      const claims: Claims = [org_id, client_id, invitation, issuedAt.getTime() + lifetimeMs];
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
      return `${payload}.${sign(payload)}`;
    },

    read(token, now) {
      const [payload, signature] = splitSigned(token);
      if (!isSigned(payload, signature)) throw new AppError('invitation_not_found');
      const [org_id, client_id, invitation, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
      if (expiresAt <= now.getTime()) throw new AppError('invitation_not_found');
      return { org_id, client_id, invitation };
    },
  };
}

/** Organization, client, number, expiry in epoch milliseconds. */
type Claims = [string, string, number, number];

export const invitationUseCases = (tokens: InvitationTokens) => [resendInvitation, getInvitation(tokens), acceptInvitation(tokens)];

const getInvitation = (tokens: InvitationTokens) =>
  handle('clients.GetInvitation', async ({ token }, caller) => {
    const invitation = tokens.read(token, new Date());
    const service = callerForInvitation(caller, invitation);
    const { email, status, user_id } = await invitedClient(service, invitation);
    const { exists, activated } = await call('identity.HasAccount', { email, user_id }, service);
    return { email, has_account: exists, accepted: activated && status === 'active', org_id: invitation.org_id };
  });

/** The account is activated first: an active client without an account could not sign in. Both steps can be retried. */
const acceptInvitation = (tokens: InvitationTokens) =>
  handle('clients.AcceptInvitation', async ({ token, password }, caller) => {
    const invitation = tokens.read(token, new Date());
    const service = callerForInvitation(caller, invitation);
    const { user_id, email, name } = await invitedClient(service, invitation);
    await call('identity.ActivateUser', { user_id, client_id: invitation.client_id, email, password, name }, service);
    return saveWithRetry(service, async () => {
      const current = await invitedClient(service, invitation);
      const change = changeClient(current, { status: 'active' });
      if (change !== null) await saveChange(ClientModel, service, current, change);
      return { email, org_id: invitation.org_id };
    });
  });

/** The token authorizes the call: this service acts itself, in the organization that the token names. */
const callerForInvitation = (caller: Caller, { org_id }: Invitation): Caller => onBehalf('clients-plans', caller, org_id);

/** The client of an open invitation. Throws `invitation_not_found` if the invitation is not open. */
async function invitedClient(caller: Caller, { client_id, invitation }: Invitation): Promise<ClientRecord> {
  const client = await clientById(caller, client_id);
  if (client === null || !isOpen(client, invitation)) throw new AppError('invitation_not_found');
  return client;
}

const resendInvitation = handle('clients.ResendInvitation', ({ client_id }, caller) =>
  saveWithRetry(caller, async () => {
    const current = await existingClient(caller, client_id);
    const service = onBehalf('clients-plans', caller);
    const change = inviteAgain(current, newId(caller, 'invitation'), await isActivated(service, current));
    if (change !== null) await call('identity.CheckMailQuota', {}, service);
    const client = change === null ? current : await saveChange(ClientModel, caller, current, change);
    return { client: toClient(client), etag: etagOf(client) };
  }),
);

type Client = Pick<ClientState, 'status' | 'email' | 'user_id'>;

/**
 * True if the client's invitation is accepted: its user can sign in. An invited client whose user can sign in already
 * has not finished accepting. `service` is this service's own caller.
 */
export const isActivated = async (service: Caller, { status, email, user_id }: Client): Promise<boolean> =>
  status === 'active' && (await call('identity.HasAccount', { email, user_id }, service)).activated;
