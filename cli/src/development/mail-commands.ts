import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import PostalMime from 'postal-mime';
import { wholeNumber } from '../arguments.ts';
import { OperatorError } from '../operator-error.ts';
import { print, table } from '../output.ts';

const shownByDefault = 20;

/** A file of the mail folder: `<date>-<address>.eml`. */
interface MailFile {
  /** 1 is the newest. */
  readonly number: number;
  readonly file: string;
  readonly to: string;
}

interface ReadMail {
  readonly number: number;
  readonly date: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  /** What its button leads to: the first link of its text. */
  readonly link: string | null;
}

interface OfAddress {
  readonly to?: string;
}

/** Commands to read the mails that a development platform writes into a folder instead of sending them. */
export function addMailCommands(program: Command): void {
  const mail = program
    .command('mail')
    .description('Read the mails of a platform that runs here: it writes them into the folder mail of its DATA_DIR, or into MAIL_DIR');
  mail
    .command('list')
    .description('list mails, newest first')
    .option('--to <address>', 'mails to this address alone')
    .option('--limit <n>', 'at most so many', wholeNumber, shownByDefault)
    .action(async ({ to, limit }: OfAddress & { limit: number }, command: Command) => {
      const mails = await Promise.all(mailFiles(to).slice(0, limit).map(readMail));
      const rows = mails.map((each) => [String(each.number), shortDate(each.date), each.to, each.subject]);
      print(command, mails, () => (mails.length === 0 ? 'No mails yet.' : table(['No.', 'Date', 'To', 'Subject'], rows)));
    });
  mail
    .command('show')
    .description('print a mail with its links unbroken; without a number the newest')
    .argument('[number]', 'as `mail list` counts them', wholeNumber, 1)
    .option('--to <address>', 'count mails to this address alone')
    .action(async (number: number, { to }: OfAddress, command: Command) => {
      const found = await readMail(chosen(number, to));
      const head = (['From', 'To', 'Date', 'Subject'] as const).map((name) => `${name}: ${found[headerOf[name]]}`);
      print(command, found, () => [...head, '', found.text].join('\n'));
    });
  mail
    .command('open')
    .description('open the link of a mail in your browser, and print it; without a number that of the newest')
    .argument('[number]', 'as `mail list` counts them', wholeNumber, 1)
    .option('--to <address>', 'count mails to this address alone')
    .action(async (number: number, { to }: OfAddress, command: Command) => {
      const { link } = await readMail(chosen(number, to));
      if (link === null) throw new OperatorError('This mail has no link. Read it with `mail show`.');
      print(command, { link }, () => link);
      openInBrowser(link);
    });
}

const headerOf = { From: 'from', To: 'to', Date: 'date', Subject: 'subject' } as const;

const mailFolder = () => process.env.MAIL_DIR ?? path.join(process.env.DATA_DIR ?? '.data', 'mail');

/** Newest first: the names begin with the date. */
function mailFiles(to?: string): MailFile[] {
  const names = namesIn(mailFolder()).flatMap((name) => {
    const [, address] = /^[\dT-]+\.\d+Z-(.+)\.eml$/.exec(name) ?? [];
    return address !== undefined && (to === undefined || inName(address) === inName(to)) ? [{ name, to: address }] : [];
  });
  names.sort((a, b) => (a.name < b.name ? 1 : -1));
  return names.map(({ name, to: address }, index) => ({ number: index + 1, file: path.join(mailFolder(), name), to: address }));
}

/** An address as names of files have it. */
const inName = (address: string) => address.toLowerCase().replace(/[^\w.@+-]/g, '-');

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function chosen(number: number, to?: string): MailFile {
  const files = mailFiles(to);
  const found = files[number - 1];
  if (found !== undefined) return found;
  if (files.length === 0) throw new OperatorError(`There are no mails${to === undefined ? '' : ` to ${to}`} in ${mailFolder()}.`);
  throw new OperatorError(`There are ${files.length} mails; 1 is the newest.`);
}

async function readMail({ number, file, to }: MailFile): Promise<ReadMail> {
  const { subject = '', text = '', date = '', from } = await PostalMime.parse(readFileSync(file));
  const sender = from === undefined ? '' : `${from.name ?? ''} <${from.address ?? ''}>`.trim();
  return { number, date, to, from: sender, subject, text: text.trim(), link: /https?:\/\/\S+/.exec(text)?.[0] ?? null };
}

/** 2026-11-27 13:47:26 */
const shortDate = (date: string) => date.replace('T', ' ').slice(0, 19);

const opener = { darwin: 'open', win32: 'explorer' } as const;

/** Where no browser can be opened, the printed link is all there is. */
function openInBrowser(link: string): void {
  const program = opener[process.platform as keyof typeof opener] ?? 'xdg-open';
  spawn(program, [link], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
