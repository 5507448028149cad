import type { Project } from '@webkiln/contract';
import { brandedMail, type Mail, type Mailbox, messageIdFor, plainName } from '@webkiln/mail';
import type { IncomingReply } from '@webkiln/rpc';

export const confirmationDays = 7;

interface Sender {
  readonly org_id: string;
  readonly brand: NonNullable<IncomingReply<'identity.GetBrand'>['brand']>;
  readonly from: Mailbox;
  /** The platform's public URL, without a trailing slash. */
  readonly origin: string;
}

interface Envelope {
  readonly address: string;
  readonly url: string;
  /** Unique per mail and stable across retries. */
  readonly mailId: string;
  readonly date: Date;
}

/** Asks the owner of an address whether form mails may go to it. */
export function confirmationMail(
  project: Project,
  { org_id, brand, from, origin }: Sender,
  { address, url, mailId, date }: Envelope,
): Mail {
  const agency = plainName(brand.name);
  const template = {
    greeting: 'Hello,',
    paragraphs: [`${agency} wants to send you by mail what visitors write in the forms of the website ${plainName(project.name)}.`],
    link: { label: 'Receive these mails', url },
    closing: [
      `The link works for ${confirmationDays} days. If you did not expect this mail, ignore it: without your answer you receive none. On the page of the link you can refuse for good.`,
    ],
  };
  return {
    org_id,
    purpose: 'consent',
    ...brandedMail(brand, from, origin, template),
    messageId: messageIdFor(`consent.${mailId}`, from),
    date,
    to: { name: '', address },
    subject: `${agency}: do you want to receive form mails?`,
  };
}
