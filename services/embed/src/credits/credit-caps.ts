import { type Caller, onBehalf } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { defineModel, scoped } from '@webkiln/store';
import { liveSession } from '../sessions/embed-session-store.ts';
import type { Paying } from './credit-account.ts';

/** A bound on the credits of an embed session, or of an embed client's day. */
export interface CreditCap {
  /** The unit that is counted: `session <id>`, `client <id> 2026-11-24`. */
  readonly _id: string;
  readonly limit: number;
  /** Says in a sentence what is used up. */
  readonly name: string;
  readonly expires_at: Date;
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

/** The caps that apply to a turn of the caller: none for members and clients' users. */
export async function capsOf(caller: Caller): Promise<CreditCap[]> {
  const { kind, credential_id } = caller.principal;
  if (kind !== 'embed_token') return [];
  const session = await liveSession(caller, credential_id);
  if (session === null) return [];
  const { embed_client_id } = session;
  const { session_credits, daily_credits } = await call('identity.GetEmbedCaps', { embed_client_id }, onBehalf('embed', caller));
  const now = new Date();
  const day = now.toISOString().slice(0, 10);
  const expires_at = new Date(now.getTime() + keptMs);
  return [
    { _id: `session ${credential_id}`, limit: session_credits, name: 'of this session', expires_at },
    { _id: `client ${embed_client_id} ${day}`, limit: daily_credits, name: 'of this day', expires_at },
  ].filter((cap): cap is CreditCap => cap.limit !== undefined);
}

/** The credits that a cap leaves. */
export async function leftOfCap(tenant: Paying, { _id, limit }: CreditCap): Promise<number> {
  const use = await scoped(CreditUseModel, tenant).findOne({ _id });
  return limit - (use?.used ?? 0);
}

/** Counts credits on a cap. */
export const countOnCap = (tenant: Paying, { _id, expires_at }: CreditCap, credits: number): Promise<unknown> =>
  scoped(CreditUseModel, tenant).updateOne({ _id }, { $inc: { used: credits }, $set: { expires_at } }, { upsert: true });

/** Gives credits back to a cap, unless its count has expired. */
export const giveBackToCap = (tenant: Paying, _id: string, credits: number): Promise<unknown> =>
  scoped(CreditUseModel, tenant).updateOne({ _id }, { $inc: { used: -credits } });
