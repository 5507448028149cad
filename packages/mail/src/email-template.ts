import { type Language, textColorOn } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/http';
import { readTexts } from '@webkiln/texts';
import type { GreetingsTexts } from '../gen/texts.ts';
import { type Mail, type Mailbox, plainName } from './mail.ts';

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
