import { AppError } from '@webkiln/contract';
import type { NodemailerError } from 'nodemailer';

const maxReasonLength = 200;
/** The commands that are about one mail (RFC 5321 §3.3); the others are about our connection. */
const aboutMail = new Set<string | undefined>(['MAIL FROM', 'RCPT TO', 'DATA']);
/** Replies that tell of our credentials or of a server that stops, whatever they answer. */
const aboutUs = new Set<number | undefined>([421, 454, 530, 534, 535, 538]);

/** The mail server refused this mail permanently: RFC 5321 §4.2.1, a 5yz reply must not be retried. */
export class RefusedForGood extends Error {}

/** The mail server gave no answer in time. */
export class NoAnswer extends Error {}

/**
 * What a failed transaction means: `RefusedForGood`; `unavailable` if it is not about this mail; else an error that is
 * retried for a day. None of them contains the recipient's address.
 */
export function meaningOf(error: unknown, address: string): Error {
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
