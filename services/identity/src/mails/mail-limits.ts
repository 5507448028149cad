const hourMs = 3600_000;
const dayMs = 24 * hourMs;

/** `asked_by` of a mail that the recipient asked for. */
export const askedByRecipient = 'recipient';

/** A mail to count. */
export interface MailToCount {
  readonly id: string;
  readonly purpose: string;
  /** `recipient`, or a digest of the network of another person who asked for it; empty if nobody asked. */
  readonly asked_by: string;
  /** True for form mails to a recipient who agreed to them. */
  readonly agreed: boolean;
}

/** A mail that was admitted within the last day. */
export interface CountedMail extends MailToCount {
  readonly at: Date;
}

export interface MailLimits {
  /** Mails of one purpose. */
  readonly perHour: number;
  /** Mails of all purposes. */
  readonly perDay: number;
}

/**
 * Counts a mail to one recipient. Returns the mails of the last day with it, or null if it exceeds a limit. A mail that
 * is counted already stays admitted.
 *
 * Mails that the recipient asks for are counted apart from those that others cause, so that others cannot use them up.
 * One network may cause all but one of the mails that others ask for in an hour: the recipient in a new place gets
 * that one.
 */
export function countMail(
  counted: readonly CountedMail[],
  mail: MailToCount,
  { perHour, perDay }: MailLimits,
  now: Date,
): readonly CountedMail[] | null {
  const recent = counted.filter(({ at }) => at.getTime() > now.getTime() - dayMs);
  if (recent.some(({ id }) => id === mail.id)) return recent;
  const ofDay = recent.filter((other) => other.agreed === mail.agreed && isOwn(other) === isOwn(mail));
  const ofHour = ofDay.filter(({ purpose, at }) => purpose === mail.purpose && at.getTime() > now.getTime() - hourMs);
  if (ofHour.length >= perHour || ofDay.length >= perDay) return null;
  const fromNetwork = ofHour.filter(({ asked_by }) => asked_by === mail.asked_by);
  if (isOfNetwork(mail) && fromNetwork.length >= Math.max(1, perHour - 1)) return null;
  return [...recent, { ...mail, at: now }];
}

const isOwn = ({ asked_by }: MailToCount) => asked_by === askedByRecipient;

const isOfNetwork = (mail: MailToCount) => mail.asked_by !== '' && !isOwn(mail);
