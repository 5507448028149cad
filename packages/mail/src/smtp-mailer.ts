import { logger } from '@webkiln/runtime';
import { createTransport } from 'nodemailer';
import type { Mail, Mailer } from './mail.ts';
import { MailLanes } from './mail-lanes.ts';
import { meaningOf, NoAnswer, RefusedForGood } from './mail-server-error.ts';
import { mailsTotal } from './mails-total.ts';

const sendTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;
/** More than the lanes of a few organizations can fill. */
const maxConnections = 16;
/** A label as short as this below a country's domain is no registered name: `co.uk`. */
const shortLabel = 3;

interface Options {
  /** How long the server may take for one mail; default 30 s. */
  readonly timeoutMs?: number;
}

/**
 * Sends through a mail server: "smtp(s)://user:password@host:port". Few mails at once of one organization and to one
 * domain, so that nobody's mails wait for those of others.
 */
export function smtpMailer(url: string, { timeoutMs = sendTimeoutMs }: Options = {}): Mailer {
  const timeouts = { connectionTimeout: connectTimeoutMs, greetingTimeout: connectTimeoutMs, dnsTimeout: connectTimeoutMs };
  const transport = createTransport({ url, pool: true, maxConnections, ...timeouts });
  const lanes = new MailLanes();
  const attempt = async ({ org_id, purpose: _purpose, network: _network, isRecipients: _isRecipients, ...mail }: Mail) => {
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
    send: (mail) =>
      lanes.run(
        lanesOf(mail),
        () => attempt(mail),
        (error) => error instanceof NoAnswer,
      ),
    close: () => transport.close(),
  };
}

/** Mails about an account belong to no organization. */
function lanesOf({ org_id, to }: Mail): string[] {
  const domain = `domain ${registrable(domainOf(to.address))}`;
  return org_id === '' ? [domain] : [`organization ${org_id}`, domain];
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** The domain that somebody registered, roughly: everybody has as many subdomains as they like. */
function registrable(domain: string): string {
  const labels = domain.split('.');
  return labels.slice((labels.at(-2)?.length ?? 0) <= shortLabel ? -3 : -2).join('.');
}
