import { AppError, type EventEnvelope, type Events } from '@webkiln/contract';
import { consume } from '@webkiln/events';
import type { Mailbox, Mailer } from '@webkiln/mail';
import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import { scoped } from '@webkiln/store';
import { firstInvitation } from '../clients/client.ts';
import { ClientModel } from '../clients/client-store.ts';
import { invitationMail } from '../invitations/invitation-mail.ts';
import type { InvitationTokens } from '../invitations/invitation-token.ts';

const askTimeoutMs = 5_000;

interface Parts {
  tokens: InvitationTokens;
  mailer: Mailer;
  from: Mailbox;
  /** The public address, without a slash at its end. */
  origin: string;
}

/**
 * Mails each invitation. No transaction spans a mail server, so a crash right after sending sends the same mail again: at least once,
 * under one Message-ID. The link is made here, so that no event carries a secret.
 */
export function onClientInvited({ tokens, mailer, from, origin }: Parts): void {
  consume({
    name: 'clients-plans-invitation-mail',
    types: ['client.created', 'internal.client.invited'],
    atOnce: 2,
    act: async (event) => {
      const { org_id, timestamp } = event;
      const invited = invitedBy(event);
      const { client_id, invitation } = invited;
      const client = await scoped(ClientModel, { org_id }).findOne({ _id: client_id }, { fields: ['status', 'invitation'] });
      // Accepted, withdrawn or sent again meanwhile: the link would be dead on arrival.
      if (client?.status !== 'invited' || client.invitation !== invitation) return;
      const invitedAt = new Date(timestamp);
      const token = tokens.issue({ org_id, client_id, invitation }, invitedAt);
      const brand = await brandOf(org_id);
      await mailer.send(invitationMail(invited, token, { brand, from, origin }, invitedAt));
    },
  });
}

async function brandOf(org_id: string) {
  const { brand } = await call('identity.GetBrand', {}, callerFor(servicePrincipal('clients-plans', org_id), { timeoutMs: askTimeoutMs }));
  if (!brand) throw new AppError('organization_not_found');
  return brand;
}

/** A new client's first invitation comes with him, each further one tells of itself. */
function invitedBy({ type, data }: EventEnvelope<'client.created' | 'internal.client.invited'>): Events['internal.client.invited'] {
  if (type === 'internal.client.invited') return data;
  const { id, email, name } = data.client;
  return { client_id: id, email, name, invitation: firstInvitation };
}
