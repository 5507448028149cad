import { counter } from '@webkiln/runtime';

export interface Mailbox {
  name: string;
  address: string;
}

/** The kind by which mails to a recipient are counted; `form` has limits of its own, `consent` asks for permission. */
export type MailPurpose =
  | 'verify'
  | 'reset'
  | 'sign-up'
  | 'change'
  | 'notice'
  | 'invitation'
  | 'webhook'
  | 'form'
  | 'consent'
  | 'billing'
  | 'report';

/** The facts that decide whether a mail is sent. */
export interface MailEnvelope {
  /** The organization that caused it; empty for mails about an account. */
  org_id: string;
  purpose: MailPurpose;
  /** A site of a client who joined by a link caused it: it counts on the share of those who did. */
  isOfJoined?: boolean;
  /** The network of the person who asked for it; absent if nobody did. */
  network?: string | undefined;
  /** True if the recipient's own session or secret caused it. */
  isRecipients?: boolean;
  /** Message-ID (RFC 5322 §3.6.4) with its angle brackets; the same on every repeat, so that receivers can tell one. */
  messageId: string;
  to: Mailbox;
}

/** A mail to one person, in one or both of the forms that mail programs show. */
export interface Mail extends MailEnvelope {
  date: Date;
  from: Mailbox;
  /** The address for replies, if it is not the sender's. */
  replyTo?: Mailbox | undefined;
  subject: string;
  text: string;
  html?: string;
  /** The page where the recipient ends such mails. A POST to it does so at once (RFC 8058). */
  unsubscribeUrl?: string;
}

export interface MailTransport {
  /**
   * Resolves when another party has accepted the mail, or refused it permanently. Rejects if a retry may succeed: with
   * `Postponed` or `unavailable` if nothing is wrong with the mail.
   */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** A transport that asks for each mail whether it is admitted, and drops it otherwise. */
export interface Mailer extends MailTransport {
  /**
   * False if a mail may not be sent: its recipient or its organization is over a limit. An admitted mail is counted,
   * once. For consumers, which ask before they prepare a mail; `send` asks again unless it was a moment ago.
   */
  admits(envelope: MailEnvelope): Promise<boolean>;
}

/** Settings of consumers of mails about accounts. Many are prepared at once, because those share reads and writes. */
export const accountMailConsumption = { concurrency: 64, retryForMs: 24 * 3600_000 };

/** The same for mails of organizations, which take turns. */
export const mailConsumption = { ...accountMailConsumption, concurrency: 128, perOrganization: 32 };

/** The Message-ID of a mail about the record with this id, which is unique in the platform. */
export const messageIdFor = (id: string, from: Mailbox): string => `<${id}@${from.address.split('@').at(-1)}>`;

export const mailsTotal = counter({
  name: 'webkiln_mails_total',
  help: 'Mails: sent, refused (by the mail server, for good), failed (tried again) or dropped (over a limit of ours)',
  labelNames: ['outcome'],
});

const maxLength = 100;
/** Control, format (also bidirectional) and line-breaking characters. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
/** Every character that a resolver or mail program takes for the dot of a host name (UTS #46). */
const dotBeforeName = /([.\u2024\u3002\uFE52\uFF0E\uFF61])(?=[\p{L}\p{N}])/gu;

/**
 * A name that a stranger chose, as it may stand in a mail: one line, and nothing that mail programs turn into a link.
 * `Visit evil.example` becomes `Visit evil. example`; an ordinary name stays as it is.
 */
export const plainName = (name: string): string =>
  oneLine(name, maxLength)
    .replace(dotBeforeName, '$1 ')
    .replace(/:(?=\/\/)/g, ': ')
    .replace(/@/g, ' at ');

/** Text for a header: one line without control characters. */
export const oneLine = (text: string, length: number): string => text.replace(invisible, ' ').trim().slice(0, length);
