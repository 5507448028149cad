import { logger } from '@webkiln/runtime';
import { createTransport } from 'nodemailer';
import type { Mail, MailTransport } from './mail.ts';
import { type LaneOf, MailLanes } from './mail-lanes.ts';
import { meaningOf, RefusedForGood } from './mail-server-error.ts';
import { mailsTotal } from './mails-total.ts';

const sendTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;
/** For mails of organizations, and as many for those about accounts. More than a few lanes can fill. */
const maxConnections = 16;
const maxPerOrganization = 4;
const maxPerDomain = 8;
/** A label as short as this below a country's domain is no registered name: `co.uk`. */
const shortLabel = 3;

interface Options {
  /** How long the server may take for one mail; default 30 s. */
  readonly timeoutMs?: number;
}

/**
 * Sends through a mail server: "smtp(s)://user:password@host:port". Few mails at once of one organization and to one
 * domain, so that nobody's mails wait for those of others. Mails about accounts have connections and lanes of their
 * own.
 */
export function smtpMailer(url: string, { timeoutMs = sendTimeoutMs }: Options = {}): MailTransport {
  const timeouts = { connectionTimeout: connectTimeoutMs, greetingTimeout: connectTimeoutMs, dnsTimeout: connectTimeoutMs };
  const connect = () => ({ transport: createTransport({ url, pool: true, maxConnections, ...timeouts }), lanes: new MailLanes() });
  const [ofOrganizations, ofAccounts] = [connect(), connect()];
  type Transport = typeof ofAccounts.transport;
  const attempt = async (
    transport: Transport,
    { org_id, purpose: _purpose, network: _network, isRecipients: _isRecipients, ...mail }: Mail,
  ) => {
    try {
      await transport.sendMail({ ...mail, signal: AbortSignal.timeout(timeoutMs) });
      mailsTotal.inc({ outcome: 'sent' });
      logger.info({ messageId: mail.messageId }, 'mail sent');
    } catch (error) {
      const meaning = meaningOf(error, mail.to.address);
      if (!(meaning instanceof RefusedForGood)) {
        mailsTotal.inc({ outcome: 'failed' });
        throw meaning;
      }
      mailsTotal.inc({ outcome: 'refused' });
      const about = { messageId: mail.messageId, org_id, domain: domainOf(mail.to.address), reason: meaning.message };
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
  if (org_id === '') {
    const sender = to.address.toLowerCase();
    return { sender, lanes: [{ name: `mailbox ${sender}`, maxInFlight: 2, pausedBy: 1 }, ofAll] };
  }
  const own: LaneOf[] = [
    { name: `organization ${org_id}`, maxInFlight: maxPerOrganization, pausedBy: Number.POSITIVE_INFINITY },
    { name: `organization ${org_id} to ${domain}`, maxInFlight: maxPerOrganization, pausedBy: 1 },
  ];
  return { sender: org_id, lanes: [...own, ofAll] };
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** The domain that somebody registered, roughly: everybody has as many subdomains as they like. */
function registrable(domain: string): string {
  const labels = domain.split('.');
  return labels.slice((labels.at(-2)?.length ?? 0) <= shortLabel ? -3 : -2).join('.');
}
