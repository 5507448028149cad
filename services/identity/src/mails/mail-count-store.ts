import { AppError } from '@webkiln/contract';
import { Change, joinedShareOf, serviceCaller } from '@webkiln/messages';
import type { Quota } from '@webkiln/org-policy';
import { batched, retry } from '@webkiln/runtime';
import {
  batchedById,
  batchedInsert,
  countPlaces,
  defineGlobalModel,
  defineModel,
  type GlobalStored,
  insertAtPlace,
  insertChange,
  isEditedMeanwhile,
  LostRace,
  type PlaceIndex,
  placeIndex,
  saveChange,
  scoped,
  unscoped,
  where,
} from '@webkiln/store';
import { LRUCache } from 'lru-cache';

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

const countKeptMs = 24 * 3600_000;
/** Each lost race is another counted mail. */
const maxAttempts = 100;

interface MailCount {
  mails: CountedMail[];
  expires_at: Date;
}

// Global: a recipient is protected from all organizations together. `_id` is a keyed digest of the address.
const MailCountModel = defineGlobalModel<MailCount>(
  'mail_counts',
  {
    mails: { type: [{ _id: false, id: String, purpose: String, asked_by: String, agreed: Boolean, at: Date }], required: true },
    expires_at: { type: Date, required: true },
  },
  { indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const insertCount = batchedInsert(MailCountModel);

/** Reads of one event-loop tick share a query. */
const countOf = batched<string, GlobalStored<MailCount> | null>(async (recipients) => {
  const found = await unscoped(MailCountModel).find({ _id: where({ $in: [...new Set(recipients)] }) });
  const byRecipient = new Map(found.map((count) => [count._id, count]));
  return recipients.map((recipient) => byRecipient.get(recipient) ?? null);
});

/** Counts a mail to a recipient, exactly over all processes. False if it exceeds a limit. Throws `overloaded`. */
export function takeMail(recipient: string, mail: MailToCount, limits: MailLimits): Promise<boolean> {
  const attempt = async () => {
    const known = await countOf(recipient);
    const now = new Date();
    const mails = countMail(known?.mails ?? [], mail, limits, now);
    if (mails === null) return false;
    if (known?.mails.some(({ id }) => id === mail.id)) return true;
    const state = { mails: [...mails], expires_at: new Date(now.getTime() + countKeptMs) };
    if (known !== null) await saveChange(MailCountModel, serviceCaller('identity'), known, new Change(state, []));
    else if (!(await insertCount(serviceCaller('identity'), { _id: recipient, ...state }))) throw new LostRace(recipient);
    return true;
  };
  return retry(attempt, {
    maxAttempts,
    isRetryable: isEditedMeanwhile,
    exhausted: (cause) => new AppError('overloaded', [], { cause }),
  });
}

/** Longer than a mail is retried, so that one of yesterday is not counted again today. */
const mailKeptMs = 3 * 24 * 3600_000;

/** A mail that the organization caused, at a place in the quota of its UTC day. `_id` names organization and mail. */
interface OrganizationMail {
  _id: string;
  org_id: string;
  /** YYYY-MM-DD */
  day: string;
  place: number;
  /** Its place in the share of clients who joined by a link, if a site of theirs caused it. */
  joined_place?: number | null;
  expires_at: Date;
}

const OrganizationMailModel = defineModel<OrganizationMail>(
  'organization_mails',
  {
    day: { type: String, required: true },
    place: { type: Number, required: true },
    joined_place: { type: Number, default: null },
    expires_at: { type: Date, required: true },
  },
  {
    exportedAs: null,
    indexes: [placeIndex('place', 'day'), placeIndex('joined_place', 'day')],
    indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
  },
);

const countedMail = batchedById(OrganizationMailModel, []);

class DayIsFull extends Error {}

/** Days that this process found full a moment ago, with their limits: further mails must not count all places again. */
const fullDays = new LRUCache<string, number>({ max: 10_000, ttl: 10_000 });

const dayOf = (now: Date) => now.toISOString().slice(0, 10);
const idOf = (org_id: string, mail_id: string) => `${org_id} ${mail_id}`;

const placesOf = (org_id: string, now: Date): PlaceIndex<OrganizationMail, 'organization'> => ({
  model: OrganizationMailModel,
  scope: { org_id },
  within: { day: dayOf(now) },
  field: 'place',
});

/** The organization's mails of today (UTC). */
export const mailQuota: Quota = { name: 'mails', used: (org_id) => mailsOfDay(org_id, new Date()) };

export const mailsOfDay = (org_id: string, now: Date): Promise<number> => countPlaces(placesOf(org_id, now));

/** A mail that an organization causes, or a site of a client of it who joined by a link. */
interface CausedMail {
  readonly org_id: string;
  readonly id: string;
  readonly isOfJoined: boolean;
}

/**
 * Counts a mail against the organization's day, once per mail and exactly over all processes. Returns false if the day
 * has `limit` mails already, or sites of clients who joined by a link have their share of it.
 */
export async function takeOrganizationMail({ org_id, id, isOfJoined }: CausedMail, limit: number, now: Date): Promise<boolean> {
  const _id = idOf(org_id, id);
  const isCounted = async () => (await countedMail({ org_id }, _id)) !== null;
  const day = dayOf(now);
  const mail = { _id, day, expires_at: new Date(now.getTime() + mailKeptMs) };
  const counted = `${org_id} ${day} ${isOfJoined ? 'joined' : ''}`;
  if (limit <= (fullDays.get(counted) ?? -1)) return isCounted();
  const places = { ...placesOf(org_id, now), full: () => new DayIsFull() };
  const share = { ...places, field: 'joined_place' as const, limit: joinedShareOf(limit) };
  try {
    await insertAtPlace({ ...places, limit }, (place) => {
      const insertAt = (joined_place: number | null) =>
        insertChange(OrganizationMailModel, { org_id }, new Change({ ...mail, place, joined_place }, []));
      return isOfJoined ? insertAtPlace(share, insertAt) : insertAt(null);
    });
    return true;
  } catch (error) {
    if (!(error instanceof DayIsFull)) throw error;
    fullDays.set(counted, limit);
    return isCounted();
  }
}

/** Takes a mail off the count: it is not sent. */
export async function releaseOrganizationMail(org_id: string, mail_id: string, now: Date): Promise<void> {
  await scoped(OrganizationMailModel, { org_id }).deleteOne({ _id: idOf(org_id, mail_id) });
  for (const share of ['', 'joined']) fullDays.delete(`${org_id} ${dayOf(now)} ${share}`);
}
