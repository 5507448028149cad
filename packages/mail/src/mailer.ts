import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as aTick } from 'node:timers/promises';
import { type ServiceName, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { batched, FairSlots, logger, Postponed, Semaphore } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import { type Mail, type MailEnvelope, type Mailer, type MailTransport, mailsTotal, oneLine } from './mail.ts';

const maxHeaderLength = 200;
const admissionTimeoutMs = 5_000;
/** How long an admission holds for a mail that waits for its turn. */
const admittedForMs = 60_000;
/** The same when it is sent: no longer than services may take to hear of a suspension. */
const sentWithinMs = 5_000;
const maxAdmitted = 10_000;
/** Questions in flight: thousands of mails may wait for their turn, and each question has a deadline. */
const maxAsked = 64;
/** Before their turn, mails of one moment are asked about together: identity then shares commands between them. */
const askedApartMs = 100;
/** Mails on their way at once, of organizations and as many about accounts: the connections to the mail server. */
const maxInFlight = 16;
const maxPerOrganization = 4;
const maxPerMailbox = 2;
/** More than the handlers of a process. */
const maxWaiting = 512;
const maxWaitMs = 5_000;
const postponedMs = 250;

/** Decides whether a mail is sent. It may be asked again on every attempt, and a mail counts once. */
type Admit = (mail: MailEnvelope) => Promise<boolean>;

const keyOf = ({ messageId, to }: MailEnvelope) => `${messageId} ${to.address}`;

interface Target {
  readonly SMTP_URL?: string;
  readonly MAIL_DIR?: string;
}

/**
 * The mailer for a mail server ("smtp(s)://user:password@host:port") or, without one, for a folder. Mails that are not
 * admitted are dropped silently, because a refusal would tell who has an account. The transport is loaded with the
 * first mail, because it takes megabytes and many processes never send one.
 */
export function mailerFor({ SMTP_URL, MAIL_DIR = '' }: Target, admit: Admit): Mailer {
  let loaded: Promise<MailTransport> | undefined;
  const load = async () => {
    if (SMTP_URL === undefined) return fileMailer(MAIL_DIR);
    return (await import('./smtp-mailer.ts')).smtpMailer(SMTP_URL);
  };
  /** When they were admitted (monotonic ms). */
  const admitted = new LRUCache<string, number>({ max: maxAdmitted });
  const asked = new Semaphore({ permits: maxAsked });
  const together = batched<undefined, void>(async (mails) => mails.map(() => undefined), { minApartMs: askedApartMs });
  const isAdmitted = async (mail: MailEnvelope, withinMs: number) => {
    if (performance.now() - (admitted.get(keyOf(mail)) ?? Number.NEGATIVE_INFINITY) < withinMs) return true;
    if (await asked.run(() => admit(mail))) {
      admitted.set(keyOf(mail), performance.now());
      return true;
    }
    mailsTotal.inc({ outcome: 'dropped' });
    logDropped(mail);
    return false;
  };
  const [ofOrganizations, ofAccounts] = [turnsOf(maxPerOrganization), turnsOf(maxPerMailbox)];
  const inTurn = ({ org_id, to }: MailEnvelope, send: () => Promise<void>) =>
    org_id === '' ? ofAccounts.run(to.address.toLowerCase(), send) : ofOrganizations.run(org_id, send);
  return {
    async admits(mail) {
      await together(undefined);
      return isAdmitted(mail, admittedForMs);
    },
    async send(mail) {
      if (!(await isAdmitted(mail, sentWithinMs))) return;
      await inTurn(mail, async () => {
        if (!(await isAdmitted(mail, sentWithinMs))) return;
        admitted.delete(keyOf(mail));
        loaded ??= load();
        await (await loaded).send(withSafeHeaders(mail));
      });
    },
    close: () => void loaded?.then((mailer) => mailer.close()),
  };
}

/** Organizations and purposes of which a dropped mail was logged a moment ago: one may cause thousands. */
const toldOfDropped = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

function logDropped({ messageId, purpose, org_id }: MailEnvelope): void {
  const about = `${org_id} ${purpose}`;
  const level = toldOfDropped.has(about) ? 'debug' : 'warn';
  if (level === 'warn') toldOfDropped.set(about, true);
  logger[level](
    { messageId, purpose, org_id },
    'mail dropped: its recipient or its organization is over a limit, or its organization is suspended; ' +
      'others like it are counted, and not logged, for a minute',
  );
}

/** Few mails of an organization, or to a mailbox, are sent at once: nobody's mails wait for those of others. */
const turnsOf = (maxPerKey: number) =>
  new FairSlots({
    ...{ slots: maxInFlight, maxPerKey, maxWaitingPerKey: maxWaiting, maxWaiting, maxWaitMs },
    refusal: () => new Postponed('other mails, of the same organization or to the same mailbox, come first', postponedMs),
  });

/**
 * Has identity decide, for a service that has it as a peer. Throws `unavailable` while identity is away: the mail
 * waits, so that no limit is passed and no mail is lost.
 */
export const admittedByIdentity =
  (service: ServiceName): Admit =>
  async ({ messageId, to, purpose, org_id, isOfJoined = false }) => {
    const caller = serviceCaller(service, org_id, admissionTimeoutMs);
    const mail = { mail_id: messageId, recipient: to.address, purpose, joined_by_link: isOfJoined };
    return (await call('identity.AdmitMail', mail, caller)).admitted;
  };

/** Headers contain names that strangers chose. */
const withSafeHeaders = ({ unsubscribeUrl, ...mail }: Mail): Mail => ({
  ...mail,
  ...(unsubscribeUrl !== undefined && {
    headers: { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }),
  subject: oneLine(mail.subject, maxHeaderLength),
  from: { ...mail.from, name: oneLine(mail.from.name, maxHeaderLength) },
  to: { ...mail.to, name: oneLine(mail.to.name, maxHeaderLength) },
});

/** Writes one file `<date>-<address>.eml` per mail, which only its owner may read: mails have links in them. */
async function fileMailer(directory: string): Promise<MailTransport> {
  const { composeMail } = await import('./compose-mail.ts');
  return {
    async send(mail) {
      // Mails that start together leave room for requests between them.
      await aTick();
      const file = path.join(directory, `${fileSafe(`${mail.date.toISOString()}-${mail.to.address}`)}.eml`);
      // At once: a trip through the pool of threads costs more than each of these.
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      // Renamed into place, so that no reader of the folder sees an incomplete mail.
      writeFileSync(`${file}.part`, composeMail(mail).raw, { mode: 0o600 });
      renameSync(`${file}.part`, file);
      logger.info({ to: mail.to.address, subject: mail.subject, file }, 'mail written');
      logger.debug({ file, text: mail.text }, 'text of a mail');
    },
    close: () => undefined,
  };
}

const fileSafe = (name: string) => name.replace(/[^\w.@+-]/g, '-');
