import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { logger, readConfig } from '@webkiln/runtime';
import { createTransport } from 'nodemailer';
import * as z from 'zod';
import { composeMail } from './compose-mail.ts';
import { mailConfig, mailGoesOut } from './config.ts';
import { brandedMail, type Mailer, mailsTotal, oneLine, plainName, platformMail } from './mail.ts';
import { mailerFor } from './mailer.ts';
import { admitAll, type MailServer, startMailServer } from './testing/mail-server.ts';

describe('mailer', () => {
  describe('configuration', () => {
    const schema = z.object({ ...mailConfig }).refine(...mailGoesOut);
    const env = { MAIL_DIR: 'mail' };

    test('the sender of mails may have a name', () => {
      expect(readConfig(schema, { ...env, MAIL_FROM: 'Kiln Studio <hello@kiln.example>' })).toMatchObject({
        MAIL_FROM: { name: 'Kiln Studio', address: 'hello@kiln.example' },
      });
      expect(readConfig(schema, { ...env, MAIL_FROM: 'hello@kiln.example' }).MAIL_FROM.name).toBe('hello@kiln.example');
    });

    test.each([
      ['SMTP_URL', { MAIL_DIR: '' }],
      ['SMTP_URL', { SMTP_URL: 'http://mail.example' }],
      ['MAIL_FROM', { MAIL_FROM: 'Kiln Studio' }],
      ['MAIL_FROM', { MAIL_FROM: 'a@example.com, b@example.com' }],
    ])('a configuration without a transport or sender is refused with the name of the variable: %s %p', (name, wrong) => {
      expect(() => readConfig(schema, { ...env, ...wrong })).toThrow(new RegExp(`\\n  ${name} `));
    });
  });

  describe('the mailer', () => {
    const mail = {
      org_id: 'org',
      purpose: 'notice' as const,
      messageId: '<invitation.c1.1@kiln.example>',
      date: new Date('2026-01-02T03:04:05.678Z'),
      from: { name: 'Kiln', address: 'hello@kiln.example' },
      to: { name: 'Ada', address: 'ada@example.com' },
      subject: 'Kiln has invited you',
      text: 'Hello Ada,',
      html: '<p>Hello Ada,</p>',
    };

    let directory: string;
    beforeEach(async () => {
      directory = await mkdtemp(path.join(tmpdir(), 'mail-'));
    });
    afterEach(() => rm(directory, { recursive: true }));

    test('without a mail server a mail becomes a file that mail programs open, in a folder that is created', async () => {
      const MAIL_DIR = path.join(directory, 'made', 'for it');
      await mailerFor({ MAIL_DIR }, admitAll).send(mail);
      expect(await readdir(MAIL_DIR)).toEqual(['2026-01-02T03-04-05.678Z-ada@example.com.eml']);
      const message = await readFile(path.join(MAIL_DIR, '2026-01-02T03-04-05.678Z-ada@example.com.eml'), 'utf8');
      expect(message).toMatch(/^From: Kiln <hello@kiln\.example>\r?$/m);
      expect(message).toMatch(/^To: Ada <ada@example\.com>\r?$/m);
      expect(message).toMatch(/^Date: Fri, 02 Jan 2026 03:04:05 \+0000\r?$/m);
      expect(message).toContain('Content-Type: multipart/alternative');
      expect(message).toContain('<p>Hello Ada,</p>');
    });

    test.each([
      { name: 'Ada', text: 'Hello Ada,' },
      {
        name: 'Zoë Müller',
        text: `Grüße aus Köln = ${'sehr lang '.repeat(30)}\n.\nEnde `,
        replyTo: { name: 'Jürgen', address: 'j@bücher.example' },
      },
      { name: '田中', text: 'こんにちは、田中さん。'.repeat(20) },
      { name: '', text: `${'x'.repeat(1200)}\r\nFrom here` },
    ])('a mail is to the byte what the library makes of it by its streams: %j', async ({ name, ...other }) => {
      const { html, ...plain } = { ...mail, ...other, to: { name, address: 'ada@example.com' }, subject: `For ${name}` };
      for (const sent of [
        plain,
        { ...plain, html: `${html}\n`.repeat(40), headers: { 'List-Unsubscribe': '<https://kiln.example/end>' } },
      ]) {
        const streamed = await createTransport({ streamTransport: true, buffer: true }).sendMail(sent);
        const boundary = /_NmP-[\da-f]+/g;
        expect(composeMail(sent).raw.replace(boundary, '')).toBe(String(streamed.message).replace(boundary, ''));
        expect(composeMail(sent).envelope).toEqual(streamed.envelope);
      }
    });

    test('only its owner may read a mail that is a file, and its text with its links is logged for debugging alone', async () => {
      const MAIL_DIR = path.join(directory, 'private');
      const informed = jest.spyOn(logger, 'info').mockReturnValue(undefined);
      await mailerFor({ MAIL_DIR }, admitAll).send(mail);
      const [file = ''] = await readdir(MAIL_DIR);
      const modes = await Promise.all([stat(MAIL_DIR), stat(path.join(MAIL_DIR, file))]);
      expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
      expect(informed).toHaveBeenCalledTimes(1);
      expect(JSON.stringify(informed.mock.calls)).not.toContain(mail.text);
      informed.mockRestore();
    });

    test('a mail that is sent twice is one file', async () => {
      const mailer = mailerFor({ MAIL_DIR: directory }, admitAll);
      await mailer.send(mail);
      await mailer.send(mail);
      expect(await readdir(directory)).toHaveLength(1);
    });

    test('no address writes outside the folder', async () => {
      const address = '../../etc/passwd@example.com';
      await mailerFor({ MAIL_DIR: directory }, admitAll).send({ ...mail, to: { name: '', address } });
      expect(await readdir(directory)).toEqual(['2026-01-02T03-04-05.678Z-..-..-etc-passwd@example.com.eml']);
    });

    test('a name cannot add a header or a recipient', async () => {
      const name = 'Ada\r\nBcc: mallory@example.com';
      await mailerFor({ MAIL_DIR: directory }, admitAll).send({ ...mail, to: { name, address: mail.to.address }, subject: name });
      const [file = ''] = await readdir(directory);
      expect(await readFile(path.join(directory, file), 'utf8')).not.toMatch(/^Bcc:/m);
    });

    test('a mail that is not admitted is dropped silently, and asked about on each attempt', async () => {
      const asked: string[] = [];
      const mailer = mailerFor({ MAIL_DIR: directory }, async ({ messageId }) => {
        asked.push(messageId);
        return false;
      });
      await mailer.send(mail);
      await mailer.send(mail);
      expect(asked).toEqual([mail.messageId, mail.messageId]);
      expect(await readdir(directory)).toEqual([]);
    });

    test('of mails that are dropped alike one a minute is logged', async () => {
      const warned = jest.spyOn(logger, 'warn').mockReturnValue(undefined);
      const mailer = mailerFor({ MAIL_DIR: directory }, async () => false);
      for (const org_id of ['one', 'one', 'other']) await mailer.send({ ...mail, org_id });
      expect(warned.mock.calls.map(([about]) => about)).toMatchObject([{ org_id: 'one' }, { org_id: 'other' }]);
      warned.mockRestore();
    });

    test('a consumer learns before it prepares a mail whether it is admitted, and what is not is counted as dropped', async () => {
      const mailer = mailerFor({ MAIL_DIR: directory }, async ({ to }) => to.address === mail.to.address);
      const dropped = async () => (await mailsTotal.get()).values.find(({ labels }) => labels.outcome === 'dropped')?.value ?? 0;
      const before = await dropped();
      expect(await mailer.admits(mail)).toBe(true);
      expect(await mailer.admits({ ...mail, to: { name: '', address: 'stranger@example.com' } })).toBe(false);
      expect((await dropped()) - before).toBe(1);
    });

    test('a mail that was admitted a moment ago is sent without another question, and each attempt to send it is asked about', async () => {
      const asked: string[] = [];
      const mailer = mailerFor({ MAIL_DIR: directory }, async ({ messageId }) => {
        asked.push(messageId);
        return true;
      });
      await mailer.admits(mail);
      await mailer.admits(mail);
      await mailer.send(mail);
      expect(asked).toEqual([mail.messageId]);
      await mailer.send(mail);
      expect(asked).toEqual([mail.messageId, mail.messageId]);
    });

    test('few mails are asked about at once, however many wait', async () => {
      let [inFlight, most] = [0, 0];
      const mailer = mailerFor({ MAIL_DIR: directory }, async () => {
        most = Math.max(most, ++inFlight);
        await new Promise((resolve) => setImmediate(resolve));
        inFlight--;
        return true;
      });
      const answers = await Promise.all(Array.from({ length: 500 }, (_, at) => mailer.admits({ ...mail, messageId: `<${at}>` })));
      expect([answers.every(Boolean), most]).toEqual([true, 64]);
    });

    describe('while the mail server does not answer', () => {
      let server: MailServer;
      beforeEach(async () => {
        server = await startMailServer();
        server.refuseText(/^slow@/, 'nothing');
      });

      const slow = Array.from({ length: 50 }, (_, at) => `slow@${at}.example`);
      const mailTo = (address: string, org_id: string) => ({ ...mail, org_id, messageId: `<${address}>`, to: { name: '', address } });
      const inFlight = () => slow.reduce((sum, address) => sum + server.offers(address), 0);
      /** Sends mails of an organization that hang, and waits until four do. */
      async function hang(mailer: Mailer): Promise<Promise<unknown>[]> {
        const sent = slow.map((address) => mailer.send(mailTo(address, 'hostile')).catch((error) => error));
        while (inFlight() < 4) await new Promise((resolve) => setTimeout(resolve, 5));
        return sent;
      }
      async function close(mailer: Mailer, sent: readonly Promise<unknown>[]): Promise<void> {
        mailer.close();
        await server.close();
        await Promise.all(sent);
      }

      test('four mails of an organization are on their way at once, and those of others do not wait for them', async () => {
        const mailer = mailerFor({ SMTP_URL: server.url }, admitAll);
        const sent = await hang(mailer);
        await mailer.send(mailTo('ada@a.example', 'other'));
        expect([server.received.map(({ to }) => to), inFlight()]).toEqual([['ada@a.example'], 4]);
        await close(mailer, sent);
      });

      test('a mail that has waited for its turn is asked about again', async () => {
        let isSuspended = false;
        const mailer = mailerFor({ SMTP_URL: server.url }, async () => !isSuspended);
        const sent = await hang(mailer);
        isSuspended = true;
        const later = performance.now() + 6_000;
        const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
        await close(mailer, sent);
        clock.mockRestore();
        const outcomes = await Promise.all(sent);
        expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(slow.length - 4);
      });
    });
  });
});

describe('email template', () => {
  describe('names', () => {
    test.each(['Harbour & Co', "O'Brien – Söhne", 'Ada L. Byron', 'Bakery No. 7', '東京デザイン', 'A/B: two'])(
      'an ordinary name stays: %s',
      (name) => {
        expect(plainName(name)).toBe(name);
      },
    );

    test.each([
      'https://evil.example/login',
      'HTTP://evil.example',
      'evil.example',
      'www.evil.example',
      'win at evil\uFF0Eexample',
      'evil\u3002example',
      'evil\u2024example',
      'evil\uFF61example',
      'mailto:mallory@evil.example',
      '192.0.2.1/login',
    ])('no mail program makes a link of %j', (name) => {
      expect(plainName(name)).not.toMatch(/\S[.\u2024\u3002\uFE52\uFF0E\uFF61]\S|:\/\/|@/u);
    });

    test.each(['Ada\r\nBcc: x', 'Ada\u2028Bob', 'Ada\u0000', 'Ada\u202Eexe', 'Ada\u200Bexample', '\u001B[2J'])(
      '%j becomes one line of visible text',
      (name) => {
        expect(plainName(name)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(oneLine(name, 200)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      },
    );

    test('a long name is cut', () => {
      expect(plainName('x'.repeat(10_000))).toHaveLength(100);
    });
  });

  describe('templates', () => {
    const from = { name: 'Webkiln', address: 'no-reply@kiln.example' };
    const origin = 'https://kiln.example';
    const link = { label: 'Activate', url: 'https://kiln.example/activate?token=a&x=1' };
    const template = { language: 'en' as const, name: 'Ada', paragraphs: ['One.', 'Two.'], link, closing: ['That is all.'] };
    const brand = { name: 'Harbour & Co', sender_name: 'Ines of Harbour', logo_url: '/logos/abc', accent_color: '#ffee00' };

    test('a mail of an organization has its name, logo and color, and our address under its chosen sender name', () => {
      const mail = brandedMail(brand, from, origin, template);
      expect(mail.from).toEqual({ name: 'Ines of Harbour', address: 'no-reply@kiln.example' });
      expect(mail.html).toContain('<img src="https://kiln.example/logos/abc" alt="Harbour &amp; Co"');
      expect(mail.html).toContain('background:#ffee00;color:#000000');
      expect(mail.text).toBe(
        'Hello Ada,\n\nOne.\n\nTwo.\n\nActivate:\nhttps://kiln.example/activate?token=a&x=1\n\nThat is all.\n\nHarbour & Co\n',
      );
    });

    test('a button is readable on a dark color', () => {
      expect(brandedMail({ ...brand, accent_color: '#102030' }, from, origin, template).html).toContain('background:#102030;color:#ffffff');
    });

    test('a mail without a logo shows the name instead; a mail of the platform is signed by it', () => {
      const html = String(platformMail(from, template).html);
      expect(html).not.toContain('<img');
      expect(html).toContain('>Webkiln</p>');
      expect(platformMail(from, template).from).toEqual(from);
    });

    test('no name of an organization becomes a link', () => {
      const hostile = { ...brand, name: 'Go to https://evil.example', sender_name: 'pay@evil.example' };
      const mail = brandedMail(hostile, from, origin, template);
      expect(`${mail.from.name} ${mail.text} ${mail.html}`).not.toMatch(/evil\.example|https:\/\/evil|@evil/);
    });

    test('a mail escapes all user input', () => {
      const typed = `<img src=x onerror="alert('1')">`;
      const hostile = {
        language: 'en' as const,
        name: typed,
        paragraphs: [typed],
        link: { label: typed, url: `https://kiln.example/"><script>` },
        closing: [typed],
      };
      const html = String(brandedMail({ name: typed, sender_name: typed, logo_url: `/logos/"><script>` }, from, origin, hostile).html);
      expect(html).not.toMatch(/<script|<img src=x|onerror="/);
      expect(html.match(/<img /g)).toHaveLength(1);
    });
  });
});
