import { brandedMail, type Mail, type Mailbox, type MailEnvelope, messageIdFor, plainName } from '@webkiln/mail';
import type { Events } from '@webkiln/messages';
import type { IncomingReply } from '@webkiln/rpc';
import { invitationDays } from './invitation-token.ts';

interface Sender {
  org_id: string;
  /** The organization's brand, as its clients see it. */
  brand: NonNullable<IncomingReply<'identity.GetBrand'>['brand']>;
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
  { org_id, brand, from, origin }: Sender,
  date: Date,
): Mail {
  const agency = plainName(brand.name);
  const template = {
    greeting: invited.name === null ? 'Hello,' : `Hello ${plainName(invited.name)},`,
    paragraphs: [`${agency} has invited you to an account where you can see and manage your website.`],
    link: { label: 'Activate your account', url: `${origin}/activate?token=${token}` },
    closing: [`The link works for ${invitationDays} days and for you alone. If you did not expect this mail, you can ignore it.`],
  };
  return {
    ...invitationEnvelope(invited, { org_id, from }),
    ...brandedMail(brand, from, origin, template),
    date,
    subject: `${agency} has invited you`,
  };
}
