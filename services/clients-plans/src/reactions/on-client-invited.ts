import { AppError } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { type Mailbox, type Mailer, mailConsumption } from '@webkiln/mail';
import { type Caller, callerFor, type EventEnvelope, type Events, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { knownLanguage } from '@webkiln/texts';
import { firstInvitation, isOpen } from '../clients/client.ts';
import { clientById } from '../clients/client-store.ts';
import { invitationEnvelope, invitationMail } from '../invitations/invitation-mail.ts';
import type { InvitationTokens } from '../invitations/invitation-token.ts';
import { isActivated } from '../invitations/invitation-use-cases.ts';

const timeoutMs = 5_000;

interface Dependencies {
  tokens: InvitationTokens;
  mailer: Mailer;
  from: Mailbox;
  /** The public URL, without a trailing slash. */
  origin: string;
}

/**
 * Mails each invitation at least once, under one Message-ID: a crash right after sending sends the mail again. The link
 * is signed here, so that no event carries a secret.
 */
export function onClientInvited({ tokens, mailer, from, origin }: Dependencies): void {
  consume({
    ...consumerOf('clients-plans-invitation-mail'),
    ...mailConsumption,
    admits: (event) => mailer.admits(invitationEnvelope(invitationIn(event), { org_id: event.org_id, from })),
    atLeastOnceHandler: async (event) => {
      const { org_id, timestamp } = event;
      const invited = invitationIn(event);
      const { client_id, invitation } = invited;
      const service = callerFor(servicePrincipal('clients-plans', org_id), { timeoutMs });
      const client = await clientById(service, client_id);
      // An invitation that was accepted or replaced meanwhile is not mailed: its link would not work.
      if (client === null || !isOpen(client, invitation) || (await isActivated(service, client))) return;
      const invitedAt = new Date(timestamp);
      const token = tokens.issue({ org_id, client_id, invitation }, invitedAt);
      const branding = await brandFor(service, invited.email);
      await mailer.send(invitationMail(invited, token, { org_id, ...branding, from, origin }, invitedAt));
    },
  });
}

/** The organization's brand, with the language of its mails to this address. */
export async function brandFor(service: Caller, recipient: string) {
  const { brand, language } = await call('identity.GetBrand', { recipient }, service);
  if (!brand) throw new AppError('organization_not_found');
  return { brand, language: knownLanguage(language) };
}

/** The first invitation is part of client.created; later ones have an event of their own. */
function invitationIn({ type, data }: EventEnvelope<'client.created' | 'internal.client.invited'>): Events['internal.client.invited'] {
  if (type === 'internal.client.invited') return data;
  const { id, email, name } = data.client;
  return { client_id: id, email, name, invitation: firstInvitation };
}
