import { type Language, textColorOn } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import { counter } from '@webkiln/runtime';
import { readTexts } from '@webkiln/texts';
import type { GreetingsTexts } from '../gen/texts.ts';

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

/** The texts of a mail. */
export interface EmailTemplate {
  readonly language: Language;
  /** The recipient's name, for the greeting, if it is known. */
  readonly name?: string | null | undefined;
  readonly paragraphs: readonly string[];
  /** The mail's button, if any; `url` is absolute. */
  readonly link?: { readonly label: string; readonly url: string };
  /** The text below it. */
  readonly closing?: readonly string[];
}

/** An organization's appearance to its clients, as identity replies. */
interface Brand {
  readonly name: string;
  /** The sender's name in mails to clients. */
  readonly sender_name: string;
  /** Relative to the platform's address. */
  readonly logo_url?: string | null | undefined;
  /** `#1a2b3c` */
  readonly accent_color?: string | null | undefined;
  /** Where replies go. */
  readonly contact_email?: string | null | undefined;
}

interface Look {
  readonly name: string;
  readonly accent: string;
  /** Absolute. */
  readonly logo?: string | undefined;
}

type Written = Pick<Mail, 'from' | 'replyTo' | 'text' | 'html'>;

const texts = readTexts<GreetingsTexts>(new URL('./texts/', import.meta.url), 'greetings');

function greetingOf({ language, name }: EmailTemplate): string {
  const t = texts[language];
  return name ? t.helloNamed({ name: plainName(name) }) : t.hello;
}

const ownAccent = '#ad401d';

/** A mail of the platform, signed with the name that its mails come from. */
export const platformMail = (from: Mailbox, template: EmailTemplate): Written =>
  written(from, template, { name: from.name, accent: ownAccent });

/**
 * A mail of an organization to a client, with its name, logo and color, from the platform's address, because the
 * platform sends it; replies go to the organization. `origin` is the platform's.
 */
export function brandedMail(
  { name, sender_name, logo_url, accent_color, contact_email }: Brand,
  from: Mailbox,
  origin: string,
  template: EmailTemplate,
): Written {
  const look = { name: plainName(name), accent: accent_color ?? ownAccent, logo: logo_url ? `${origin}${logo_url}` : undefined };
  const sender = plainName(sender_name);
  return {
    ...written({ name: sender, address: from.address }, template, look),
    ...(contact_email && { replyTo: { name: sender, address: contact_email } }),
  };
}

const written = (from: Mailbox, template: EmailTemplate, look: Look): Written => ({
  from,
  text: textOf(template, look),
  html: htmlOf(template, look),
});

function textOf(template: EmailTemplate, { name }: Look): string {
  const { paragraphs, link, closing = [] } = template;
  const followed = link === undefined ? [] : [`${link.label}:\n${link.url}`];
  return [greetingOf(template), ...paragraphs, ...followed, ...closing, name].join('\n\n').concat('\n');
}

const font = 'font:16px/1.55 system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const paragraph = (text: string) => `<p style="margin:0 0 16px;overflow-wrap:anywhere">${escapeHtml(text).replaceAll('\n', '<br>')}</p>`;

/** Styles are inline, because mail programs drop style sheets. */
function htmlOf(template: EmailTemplate, look: Look): string {
  const { language, paragraphs, link, closing = [] } = template;
  const button = link === undefined ? [] : [buttonOf(link, look.accent)];
  const content = [
    headOf(look),
    paragraph(greetingOf(template)),
    ...paragraphs.map(paragraph),
    ...button,
    ...closing.map(paragraph),
    paragraph(look.name),
  ];
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
</head>
<body style="margin:0;padding:32px 16px;background:#f6f4f0;color:#1d1b18;${font}">
<div style="max-width:520px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #e3ded5;border-top:4px solid ${look.accent};border-radius:12px">
${content.join('\n')}
</div>
</body>
</html>
`;
}

function headOf({ name, logo }: Look): string {
  const shown = escapeHtml(name);
  if (logo === undefined) return `<p style="margin:0 0 24px;font-size:18px;font-weight:700">${shown}</p>`;
  const style = 'display:block;width:auto;height:auto;max-width:200px;max-height:56px';
  return `<p style="margin:0 0 24px"><img src="${escapeHtml(logo)}" alt="${shown}" height="56" style="${style}"></p>`;
}

function buttonOf({ label, url }: NonNullable<EmailTemplate['link']>, accent: string): string {
  const look = `background:${accent};color:${textColorOn(accent)};border-radius:8px;font-weight:600;text-decoration:none`;
  return `<p style="margin:0 0 24px"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 20px;${look}">${escapeHtml(label)}</a></p>`;
}
