export interface Mailbox {
  name: string;
  address: string;
}

/** A mail to one person, in one or both of the forms that mail programs show. */
export interface Mail {
  /** Message-ID (RFC 5322 §3.6.4) with its angle brackets; the same on every repeat, so that receivers can tell one. */
  messageId: string;
  date: Date;
  from: Mailbox;
  to: Mailbox;
  /** Whom an answer goes to, where that is somebody else. */
  replyTo?: Mailbox | undefined;
  subject: string;
  text: string;
  html?: string;
}

/** The Message-ID of a mail about what has this id, which nothing else on the platform has. */
export const messageIdFor = (id: string, from: Mailbox): string => `<${id}@${from.address.split('@').at(-1)}>`;
