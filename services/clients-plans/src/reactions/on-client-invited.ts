import { AppError, knownLanguage, type Language } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import {
  brandedMail,
  type Mail,
  type Mailbox,
  type MailEnvelope,
  type Mailer,
  mailConsumption,
  messageIdFor,
  plainName,
} from '@webkiln/mail';
import { type Caller, type EventEnvelope, type Events, serviceCaller } from '@webkiln/messages';
import { call, type IncomingReply } from '@webkiln/rpc';
import { firstInvitation, isOpen } from '../clients/client.ts';
import { clientById } from '../clients/client-store.ts';
import { type InvitationTokens, invitationDays, isActivated } from '../invitations/invitation-use-cases.ts';
import { texts } from '../texts.ts';

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
      const service = serviceCaller('clients-plans', org_id, timeoutMs);
      const [client, branding] = await Promise.all([clientById(service, client_id), brandFor(service, invited.email)]);
      // An invitation that was accepted or replaced meanwhile is not mailed: its link would not work.
      if (client === null || !isOpen(client, invitation) || (await isActivated(service, client))) return;
      const invitedAt = new Date(timestamp);
      const token = tokens.issue({ org_id, client_id, invitation }, invitedAt);
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

interface Sender {
  org_id: string;
  /** The organization's brand, as its clients see it. */
  brand: NonNullable<IncomingReply<'identity.GetBrand'>['brand']>;
  language: Language;
  from: Mailbox;
  /** The public URL, without a trailing slash. */
  origin: string;
}

/** To whom an invitation's mail goes, under the same Message-ID on every attempt. */
const invitationEnvelope = (
  { client_id, email, name, invitation }: Events['internal.client.invited'],
  { org_id, from }: Pick<Sender, 'org_id' | 'from'>,
): MailEnvelope => ({
  org_id,
  purpose: 'invitation',
  messageId: messageIdFor(`invitation.${client_id}.${invitation}`, from),
  to: { address: email, name: name ?? '' },
});

/** Renders the mail with the activation link; `date` is the time of the invitation. */
export function invitationMail(
  invited: Events['internal.client.invited'],
  token: string,
  { org_id, brand, language, from, origin }: Sender,
  date: Date,
): Mail {
  const agency = plainName(brand.name);
  const t = texts[language].invitation;
  const template = {
    language,
    name: invited.name,
    paragraphs: [t.text({ agency })],
    link: { label: t.button, url: `${origin}/activate?token=${token}` },
    closing: [t.closing({ count: invitationDays })],
  };
  return {
    ...invitationEnvelope(invited, { org_id, from }),
    ...brandedMail(brand, from, origin, template),
    date,
    subject: t.subject({ agency }),
  };
}
