import { AppError } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { defineModel, scoped } from '@webkiln/store';
import { liveSession } from '../sessions/embed-session-store.ts';
import type { Paying } from './credit-account.ts';

/** A bound on what is used in a unit of time: credits of an embed session, messages of a client's day. */
export interface Cap {
  /** The unit that is counted, over all organizations: `session <id>`, `client <id> 2026-11-24`. */
  readonly _id: string;
  readonly limit: number;
  readonly expires_at: Date;
}

/** A cap on credits. */
export interface CreditCap extends Cap {
  /** The sentence for a caller whose turn it leaves nothing. */
  readonly usedUp: string;
}

interface CreditUse {
  used: number;
  expires_at: Date;
}

const CreditUseModel = defineModel<CreditUse>(
  'credit_uses',
  { used: { type: Number, required: true }, expires_at: { type: Date, required: true } },
  { exportedAs: null, indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** A turn may end a while after its session or day has. */
const keptMs = 2 * 24 * 3_600_000;
const expiry = (now: Date) => new Date(now.getTime() + keptMs);

/** A cap on what a unit uses in this day (UTC). */
export function capOfDay(unit: string, limit: number): Cap {
  const now = new Date();
  return { _id: `${unit} ${now.toISOString().slice(0, 10)}`, limit, expires_at: expiry(now) };
}

const usedUp = (limit: number, unit: string): string => `the ${limit} credits of this ${unit} are used up`;

/** The caps on the credits of the caller's turns: none for members and clients' users. */
export async function creditCapsOf(caller: Caller): Promise<CreditCap[]> {
  const { kind, credential_id } = caller.principal;
  if (kind !== 'embed_token') return [];
  const session = await liveSession(caller, credential_id);
  if (session === null) throw new AppError('invalid_embed_token');
  const { embed_client_id } = session;
  const { session_credits, daily_credits } = await call('identity.GetEmbedCaps', { embed_client_id }, onBehalf('embed', caller));
  const caps: CreditCap[] = [];
  if (session_credits !== undefined)
    caps.push({
      _id: `session ${credential_id}`,
      limit: session_credits,
      expires_at: expiry(new Date()),
      usedUp: usedUp(session_credits, 'session'),
    });
  if (daily_credits !== undefined)
    caps.push({ ...capOfDay(`client ${embed_client_id}`, daily_credits), usedUp: usedUp(daily_credits, 'day') });
  return caps;
}

/** How much of a cap is used. */
export const usedOfCap = async (tenant: Paying, { _id }: Pick<Cap, '_id'>): Promise<number> =>
  (await scoped(CreditUseModel, tenant).findOne({ _id }))?.used ?? 0;

/** What a cap leaves. */
export const leftOfCap = async (tenant: Paying, cap: Cap): Promise<number> => Math.max(0, cap.limit - (await usedOfCap(tenant, cap)));

/** Counts a use on a cap. */
export const countOnCap = (tenant: Paying, { _id, expires_at }: Cap, used: number): Promise<unknown> =>
  scoped(CreditUseModel, tenant).updateOne({ _id }, { $inc: { used }, $set: { expires_at } }, { upsert: true });

/** Counts as much of a use as the cap leaves, and returns how much that was. */
export async function takeFromCap(tenant: Paying, cap: Cap, wanted: number): Promise<number> {
  const taken = Math.min(wanted, await leftOfCap(tenant, cap));
  if (taken > 0) await countOnCap(tenant, cap, taken);
  return taken;
}

/** Gives back to a cap, unless its count has expired. */
export const giveBackToCap = (tenant: Paying, _id: string, used: number): Promise<unknown> =>
  scoped(CreditUseModel, tenant).updateOne({ _id }, { $inc: { used: -used } });
