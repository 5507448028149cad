import { textColorOn } from '@webkiln/contract';
import { escapeHtml } from '@webkiln/runtime';
import type { Mail, Mailbox } from './mail.ts';

/** What stands in a mail, each a text of its own. */
export interface Letter {
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  /** What to follow, where there is something; `url` is absolute. */
  readonly link?: { readonly label: string; readonly url: string };
  /** What stands below it. */
  readonly closing?: readonly string[];
}

/** As identity tells how an organization's clients see it. */
interface Brand {
  readonly name: string;
  /** Whom mails to them come from, by name. */
  readonly sender_name: string;
  /** Relative to the platform's own address. */
  readonly logo_url?: string | null | undefined;
  /** `#1a2b3c` */
  readonly accent_color?: string | null | undefined;
}

interface Look {
  readonly name: string;
  readonly accent: string;
  /** Absolute. */
  readonly logo?: string | undefined;
}

type Written = Pick<Mail, 'from' | 'text' | 'html'>;

const ownAccent = '#ad401d';

/** A letter of ours, signed by the name that our mails come from. */
export const platformMail = (from: Mailbox, letter: Letter): Written => written(from, letter, { name: from.name, accent: ownAccent });

/** A letter of an organization to a client: its name, logo and colour, from our address, since it is we who send. `origin` is the platform's. */
export function brandedMail({ name, sender_name, logo_url, accent_color }: Brand, from: Mailbox, origin: string, letter: Letter): Written {
  const look = { name, accent: accent_color ?? ownAccent, logo: logo_url ? `${origin}${logo_url}` : undefined };
  return written({ name: sender_name, address: from.address }, letter, look);
}

const written = (from: Mailbox, letter: Letter, look: Look): Written => ({ from, text: textOf(letter, look), html: htmlOf(letter, look) });

function textOf({ greeting, paragraphs, link, closing = [] }: Letter, { name }: Look): string {
  const followed = link === undefined ? [] : [`${link.label}:\n${link.url}`];
  return [greeting, ...paragraphs, ...followed, ...closing, name].join('\n\n').concat('\n');
}

const font = 'font:16px/1.55 system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const paragraph = (text: string) => `<p style="margin:0 0 16px;overflow-wrap:anywhere">${escapeHtml(text).replaceAll('\n', '<br>')}</p>`;

/** Styles stand in the elements: mail programs drop style sheets. */
function htmlOf({ greeting, paragraphs, link, closing = [] }: Letter, look: Look): string {
  const button = link === undefined ? [] : [buttonOf(link, look.accent)];
  const content = [
    headOf(look),
    paragraph(greeting),
    ...paragraphs.map(paragraph),
    ...button,
    ...closing.map(paragraph),
    paragraph(look.name),
  ];
  return `<!doctype html>
<html lang="en">
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

function buttonOf({ label, url }: NonNullable<Letter['link']>, accent: string): string {
  const look = `background:${accent};color:${textColorOn(accent)};border-radius:8px;font-weight:600;text-decoration:none`;
  return `<p style="margin:0 0 24px"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 20px;${look}">${escapeHtml(label)}</a></p>`;
}
