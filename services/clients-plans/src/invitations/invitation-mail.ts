import { brandedMail, type Mail, type Mailbox, messageIdFor, plainName } from '@webkiln/mail';
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
    org_id,
    purpose: 'invitation',
    ...brandedMail(brand, from, origin, template),
    messageId: messageIdFor(`invitation.${invited.client_id}.${invited.invitation}`, from),
    date,
    to: { address: invited.email, name: invited.name ?? '' },
    subject: `${agency} has invited you`,
  };
}
