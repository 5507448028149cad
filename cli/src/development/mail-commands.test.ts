import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { webkiln } from '../testing/command-line.ts';

const link = `https://webkiln.example/activate?token=${'a'.repeat(90)}=`;
const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-mails-'));
const env = { MAIL_DIR: folder };
afterAll(() => rmSync(folder, { recursive: true }));

/** A mail as the platform writes it: quoted-printable, with soft line breaks and an encoded subject. */
function write(at: string, to: string, subject: string, text: string): void {
  const soft = text.replaceAll('=', '=3D').replace(/.{70}/g, '$&=\r\n');
  const head = ['From: "Studio" <no-reply@localhost>', `To: ${to}`, `Subject: ${subject}`, 'Date: Fri, 27 Nov 2026 10:00:00 +0000'];
  const encoding = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'];
  writeFileSync(path.join(folder, `${at}-${to}.eml`), [...head, ...encoding, '', soft].join('\r\n'));
}

test('a folder without mails is listed as that, and nothing can be shown', async () => {
  expect(await webkiln(['mail', 'list'], env)).toMatchObject({ code: 0, out: 'No mails yet.' });
  expect(await webkiln(['mail', 'show'], env)).toMatchObject({ code: 1, err: `There are no mails in ${folder}.` });
});

test('mails are listed newest first, and shown with their subject decoded and their link in one piece', async () => {
  write('2026-11-26T10-00-00.000Z', 'ada@example.com', 'Older', 'Hello,');
  write('2026-11-27T10-00-00.000Z', 'bea@example.com', '=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=', `Activate:\n${link}`);
  const mails = JSON.parse((await webkiln(['--json', 'mail', 'list'], env)).out);
  expect(mails).toMatchObject([
    { number: 1, to: 'bea@example.com', subject: 'Grüße', link },
    { number: 2, to: 'ada@example.com', subject: 'Older', link: null },
  ]);
  expect((await webkiln(['mail', 'show'], env)).out.split(/\r?\n/)).toContain(link);
  expect((await webkiln(['mail', 'show', '--to', 'ADA@example.com'], env)).out).toContain('Subject: Older');
  expect(await webkiln(['mail', 'open', '2'], env)).toMatchObject({ code: 1, err: expect.stringContaining('no link') });
  expect(await webkiln(['mail', 'show', '3'], env)).toMatchObject({ code: 1, err: 'There are 2 mails; 1 is the newest.' });
});
