import type { Language } from '@webkiln/contract';
import { brandedMail, type Mail, type Mailbox, type MailEnvelope, messageIdFor, plainName } from '@webkiln/mail';
import type { Events } from '@webkiln/messages';
import type { IncomingReply } from '@webkiln/rpc';
import { texts } from '../texts.ts';
import { invitationDays } from './invitation-token.ts';

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
export const invitationEnvelope = (
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
