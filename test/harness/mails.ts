import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from './agency.ts';
import type { PlatformFacts } from './test-platform.ts';

/** Returns the mails to an address, oldest first, as text without quoted-printable line breaks. */
export function mailsTo({ mailFolder }: Pick<PlatformFacts, 'mailFolder'>, email: string): string[] {
  return readdirSync(mailFolder)
    .filter((name) => name.endsWith(`-${email.replace(/[^\w.@+-]/g, '-')}.eml`))
    .sort()
    .map((name) => readFileSync(path.join(mailFolder, name), 'utf8').replaceAll('=\r\n', '').replaceAll('=\n', '').replaceAll('=3D', '='));
}

/** Waits for a mailed link that matches `pattern` and differs from `not`; returns the newest such link. */
export const mailedLink = (platform: Pick<PlatformFacts, 'mailFolder'>, email: string, pattern: RegExp, not?: string): Promise<string> =>
  eventually(() => {
    const mails = mailsTo(platform, email);
    const links = mails.flatMap((mail) => pattern.exec(mail)?.[0] ?? []);
    const link = links.findLast((each) => each !== not);
    if (link === undefined)
      throw new Error(`no mail to ${email} with ${pattern}, but ${mails.flatMap((mail) => /^Subject: .*/m.exec(mail) ?? [])}`);
    return link;
  });
