import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { subjectOf } from '@webkiln/messages';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
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

/** Waits until each form sent to the project so far was mailed, or found to have no recipient who agreed. */
export async function formMailsDecided({ urls }: Pick<PlatformFacts, 'urls'>, project_id: string): Promise<void> {
  const client = await MongoClient.connect(urls.MONGODB_URL);
  const connection = await connect({ servers: urls.NATS_URL });
  try {
    const submissions = client.db('webkiln_sites').collection('submissions');
    const published = async () => expect(await submissions.countDocuments({ project_id, 'outbox.0': { $exists: true } })).toBe(0);
    await eventually(published);
    const { streams, consumers } = await connection.jetstreamManager();
    const { seq } = await streams.getMessage('FORMS', { last_by_subj: subjectOf('form.submitted') });
    const handled = async () => {
      const { ack_floor } = await consumers.info('FORMS', 'sites-form-mail');
      expect(ack_floor.stream_seq).toBeGreaterThanOrEqual(seq);
    };
    await eventually(handled);
  } finally {
    await connection.close();
    await client.close();
  }
}
