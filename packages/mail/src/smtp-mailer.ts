import { AppError } from '@webkiln/contract';
import { logger, Postponed } from '@webkiln/runtime';
import { createTransport, type NodemailerError } from 'nodemailer';
import { composeMail } from './compose-mail.ts';
import { type Mail, type MailTransport, mailsTotal } from './mail.ts';

const sendTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;
/** For mails of organizations, and as many for those about accounts. */
const maxConnections = 16;
const maxPerDomain = 8;
/** A label as short as this below a country's domain is no registered name: `co.uk`. */
const shortLabel = 3;

interface Options {
  /** How long the server may take for one mail; default 30 s. */
  readonly timeoutMs?: number;
}

/**
 * Sends through a mail server: "smtp(s)://user:password@host:port". Few mails at once to one domain, so that nobody's
 * mails wait for those of others. Mails about accounts have connections and lanes of their own.
 */
export function smtpMailer(url: string, { timeoutMs = sendTimeoutMs }: Options = {}): MailTransport {
  const timeouts = { connectionTimeout: connectTimeoutMs, greetingTimeout: connectTimeoutMs, dnsTimeout: connectTimeoutMs };
  const connect = () => ({ transport: createTransport({ url, pool: true, maxConnections, ...timeouts }), lanes: new MailLanes() });
  const [ofOrganizations, ofAccounts] = [connect(), connect()];
  type Transport = typeof ofAccounts.transport;
  const attempt = async (transport: Transport, mail: Mail) => {
    try {
      await transport.sendMail({ ...composeMail(mail), signal: AbortSignal.timeout(timeoutMs) });
      mailsTotal.inc({ outcome: 'sent' });
      logger.info({ messageId: mail.messageId }, 'mail sent');
    } catch (error) {
      const meaning = meaningOf(error, mail.to.address);
      if (!(meaning instanceof RefusedForGood)) {
        mailsTotal.inc({ outcome: 'failed' });
        throw meaning;
      }
      mailsTotal.inc({ outcome: 'refused' });
      const about = { messageId: mail.messageId, org_id: mail.org_id, domain: domainOf(mail.to.address), reason: meaning.message };
      logger.warn(about, 'the mail server refused a mail for good; it is dropped');
    }
  };
  return {
    send: (mail) => {
      const { transport, lanes } = mail.org_id === '' ? ofAccounts : ofOrganizations;
      return lanes.run({ ...sharingOf(mail), date: mail.date }, () => attempt(transport, mail));
    },
    close: () => {
      for (const { transport } of [ofOrganizations, ofAccounts]) transport.close();
    },
  };
}

/**
 * A domain is paused for the organization whose mail hung there, and for all once those of a second one have, too.
 * Mails about accounts belong to no organization: each mailbox counts for itself.
 */
function sharingOf({ org_id, to }: Mail): { sender: string; lanes: LaneOf[] } {
  const domain = registrable(domainOf(to.address));
  const ofAll: LaneOf = { name: `domain ${domain}`, maxInFlight: maxPerDomain, pausedBy: 2 };
  const sender = org_id === '' ? to.address.toLowerCase() : org_id;
  const own = org_id === '' ? `mailbox ${sender}` : `organization ${sender} to ${domain}`;
  return { sender, lanes: [{ name: own, maxInFlight: maxPerDomain, pausedBy: 1 }, ofAll] };
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** The domain that somebody registered, roughly: everybody has as many subdomains as they like. */
function registrable(domain: string): string {
  const labels = domain.split('.');
  return labels.slice((labels.at(-2)?.length ?? 0) <= shortLabel ? -3 : -2).join('.');
}

const waitMs = 250;
const firstPauseMs = 30_000;
const maxPauseMs = 15 * 60_000;
/** Mails in flight in a lane whose last ones hung, once its pause is over. */
const maxProbes = 2;
/** A mail that has waited so long for pauses counts as failing, so that it ends as a dead letter some day. */
const maxWaitMs = 24 * 3600_000;
/** Beyond it, lanes that hung and are not in use are forgotten. */
const maxLanes = 10_000;

/** A bound that a mail shares with others. */
interface LaneOf {
  readonly name: string;
  readonly maxInFlight: number;
  /** Mails of so many senders in a row must hang before the lane is paused. */
  readonly pausedBy: number;
}

interface Lane {
  inFlight: number;
  /** How often mails hung since the last answer. */
  hangs: number;
  /** Senders of the mails that hung. */
  readonly hungSenders: Set<string>;
  pausedUntil: number;
}

/**
 * Bounds the mails in flight per lane, so that those of one organization or to one recipient domain hold few
 * connections. A lane whose mails hang is paused. Lanes without mails or hangs are forgotten.
 */
class MailLanes {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Sends a mail of `sender` that is in these lanes. Throws `Postponed` if one of them is full or paused, and
   * `NoAnswer` if pauses have kept the mail for a day.
   */
  async run(mail: { sender: string; lanes: readonly LaneOf[]; date: Date }, send: () => Promise<void>): Promise<void> {
    const lanes = mail.lanes.map((of) => ({ of, lane: this.#lane(of.name) }));
    try {
      for (const { of, lane } of lanes) assertRoom(of, lane, mail.date);
      for (const { lane } of lanes) lane.inFlight++;
      try {
        await send();
        for (const { lane } of lanes) noteAnswer(lane);
      } catch (error) {
        for (const { of, lane } of lanes) error instanceof NoAnswer ? noteHang(of, lane, mail.sender) : noteAnswer(lane);
        throw error;
      } finally {
        for (const { lane } of lanes) lane.inFlight--;
      }
    } finally {
      this.#forgetIdle(mail.lanes);
    }
  }

  #lane(name: string): Lane {
    const lane = this.#lanes.get(name) ?? { inFlight: 0, hangs: 0, hungSenders: new Set(), pausedUntil: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }

  #forgetIdle(lanes: readonly LaneOf[]): void {
    for (const { name } of lanes) {
      const lane = this.#lanes.get(name);
      if (lane !== undefined && lane.inFlight === 0 && lane.hangs === 0) this.#lanes.delete(name);
    }
    if (this.#lanes.size <= maxLanes) return;
    for (const [name, { inFlight }] of this.#lanes) if (inFlight === 0) this.#lanes.delete(name);
  }
}

function assertRoom({ maxInFlight, pausedBy }: LaneOf, lane: Lane, date: Date): void {
  const pausedMs = lane.pausedUntil - Date.now();
  if (pausedMs > 0 && Date.now() - date.getTime() > maxWaitMs) throw new NoAnswer('the mail server gave no answer for a day');
  if (pausedMs > 0) throw new Postponed('mails like this one get no answer', pausedMs);
  const max = lane.hungSenders.size >= pausedBy ? Math.min(maxProbes, maxInFlight) : maxInFlight;
  if (lane.inFlight >= max) throw new Postponed('other mails to the same domain come first', waitMs);
}

function noteAnswer(lane: Lane): void {
  lane.hangs = 0;
  lane.hungSenders.clear();
}

function noteHang({ pausedBy }: LaneOf, lane: Lane, sender: string): void {
  lane.hangs++;
  if (lane.hungSenders.size < pausedBy) lane.hungSenders.add(sender);
  if (lane.hungSenders.size < pausedBy) return;
  lane.pausedUntil = Date.now() + Math.min(firstPauseMs * 2 ** (lane.hangs - pausedBy), maxPauseMs);
}

const maxReasonLength = 200;
/** The commands that are about one mail (RFC 5321 §3.3); the others are about our connection. */
const aboutMail = new Set<string | undefined>(['MAIL FROM', 'RCPT TO', 'DATA']);
/** Replies that tell of our credentials or of a server that stops, whatever they answer. */
const aboutUs = new Set<number | undefined>([421, 454, 530, 534, 535, 538]);

/** The mail server refused this mail permanently: RFC 5321 §4.2.1, a 5yz reply must not be retried. */
class RefusedForGood extends Error {}

/** The mail server gave no answer in time. */
class NoAnswer extends Error {}

/**
 * The meaning of a failed transaction: `RefusedForGood`; `unavailable` if it is not about this mail; else an error that
 * is retried for a day. None of them contains the recipient's address.
 */
function meaningOf(error: unknown, address: string): Error {
  const { code, command, responseCode, response } = error as NodemailerError;
  const reason = `${command ?? code}: ${(response ?? String(error)).replaceAll(address, '…').slice(0, maxReasonLength)}`;
  if (code === 'EABORT') return new NoAnswer('the mail server gave no answer in time');
  if (aboutUs.has(responseCode)) return new AppError('unavailable', [], { cause: new Error(reason) });
  // Without a reply: an address or a size that no server would take.
  if (aboutMail.has(command) || command === 'API') {
    return responseCode === undefined || responseCode >= 500 ? new RefusedForGood(reason) : new Error(reason);
  }
  return new AppError('unavailable', [], { cause: new Error(reason) });
}
