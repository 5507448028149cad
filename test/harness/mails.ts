import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from './agency.ts';
import type { PlatformFacts } from './test-platform.ts';

/** The mails to an address, oldest first, as text with its lines whole. */
export function mailsTo({ mailFolder }: Pick<PlatformFacts, 'mailFolder'>, email: string): string[] {
  return readdirSync(mailFolder)
    .filter((name) => name.endsWith(`-${email}.eml`))
    .sort()
    .map((name) => readFileSync(path.join(mailFolder, name), 'utf8').replaceAll('=\r\n', '').replaceAll('=\n', '').replaceAll('=3D', '='));
}

/** The newest link of this form in a mail to the address, once there is one that is not `not`. */
export const linkTo = (platform: Pick<PlatformFacts, 'mailFolder'>, email: string, form: RegExp, not?: string): Promise<string> =>
  eventually(() => {
    const mails = mailsTo(platform, email);
    const links = mails.flatMap((mail) => form.exec(mail)?.[0] ?? []);
    const link = links.findLast((each) => each !== not);
    if (link === undefined)
      throw new Error(`no mail to ${email} with ${form}, but ${mails.flatMap((mail) => /^Subject: .*/m.exec(mail) ?? [])}`);
    return link;
  });
