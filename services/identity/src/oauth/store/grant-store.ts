import { randomUUID } from 'node:crypto';
import { Change, type RaisedEvent, serviceCaller } from '@webkiln/messages';
import {
  type Condition,
  defineGlobalModel,
  type GlobalStored,
  insertChange,
  saveChange,
  saveWithRetry,
  unscoped,
  where,
} from '@webkiln/store';
import type { Membership } from '../../sessions/session.ts';
import { lifetimes } from '../resources.ts';

/** One authorization of a client by a person: the family of the tokens that were issued for it. */
export interface GrantState {
  _id: string;
  connection_id: string;
  account_id: string;
  client_id: string;
  client_name: string;
  org_id: string;
  membership_kind: Membership['kind'];
  membership_id: string;
  resources: string[];
  /** What the person allowed; absent in records of before there were several: see `scopesOf`. */
  scopes?: string[];
  /** The project that its tokens are limited to; absent or null: all of them. */
  project_id?: string | null;
  /** The client to whose websites it is limited, in the same way. */
  limited_client_id?: string | null;
  /**
   * The membership of a grant with a limit, whose `membership_id` names none: the release before knows no such limit,
   * and refuses tokens without a person.
   */
  limited_membership_id?: string | null;
  created_at: Date;
  /** As late as its last refresh token expires. */
  expires_at: Date;
  revoked_at: Date | null;
}

export type Grant = GlobalStored<GrantState>;

/** Requests are listed by the name of their client for a week. */
const keptSecondsAfterEnd = 8 * 24 * 3600;

// Global: a grant is looked up by its tokens, before its organization is known.
export const GrantModel = defineGlobalModel<GrantState>(
  'oauth_grants',
  {
    connection_id: { type: String, required: true },
    account_id: { type: String, required: true },
    client_id: { type: String, required: true },
    client_name: { type: String, required: true },
    org_id: { type: String, required: true },
    membership_kind: { type: String, required: true },
    membership_id: { type: String, required: true },
    resources: { type: [String], required: true },
    scopes: { type: [String], default: undefined },
    project_id: { type: String, default: null },
    limited_client_id: { type: String, default: null },
    limited_membership_id: { type: String, default: null },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    revoked_at: { type: Date, default: null },
  },
  {
    exportedAs: null,
    raisesEvents: true,
    indexes: [
      [{ org_id: 1 }],
      [{ account_id: 1 }],
      [{ connection_id: 1 }],
      [{ expires_at: 1 }, { expireAfterSeconds: keptSecondsAfterEnd }],
    ],
  },
);

/** Grants are renewed by refreshing; before that they live as long as the code and the first tokens may. */
const expiryFrom = (now: Date) => new Date(now.getTime() + lifetimes.refreshToken * 1000);

const noMembership = '-';

type NewGrant = Omit<GrantState, '_id' | 'limited_membership_id' | 'created_at' | 'expires_at' | 'revoked_at'>;

export function insertGrant(grant: NewGrant): Promise<Grant> {
  const now = new Date();
  const limited =
    grant.project_id || grant.limited_client_id ? { membership_id: noMembership, limited_membership_id: grant.membership_id } : {};
  const state = { ...grant, ...limited, _id: randomUUID(), created_at: now, expires_at: expiryFrom(now), revoked_at: null };
  return insertChange(GrantModel, serviceCaller('identity', grant.org_id), new Change(state, []));
}

const live = () => ({ revoked_at: null, expires_at: where({ $gt: new Date() }) });

/** Null for a grant that was revoked or has expired. */
export const liveGrant = (_id: string): Promise<Grant | null> => unscoped(GrantModel).findOne({ _id, ...live() });

export const hasLiveGrant = async (connection_id: string): Promise<boolean> =>
  (await unscoped(GrantModel).findOne({ connection_id, ...live() })) !== null;

export async function liveGrantsBy(ids: readonly string[]): Promise<Map<string, Grant>> {
  const found = await unscoped(GrantModel).find({ _id: where({ $in: [...ids] }), ...live() });
  return new Map(found.map((grant) => [grant._id, grant]));
}

/** The membership that a grant acts with, as far as it names one. */
export const membershipOf = ({ org_id, account_id, membership_kind, membership_id, limited_membership_id }: Grant) => ({
  ...{ org_id, account_id, membership_kind },
  membership_id: limited_membership_id ?? membership_id,
});

/** Keeps a grant as long as its newest refresh token. */
export const renewGrant = (_id: string): Promise<unknown> =>
  unscoped(GrantModel).updateOne({ _id, revoked_at: null }, { $max: { expires_at: expiryFrom(new Date()) } });

const changed = ({ _id, account_id }: Grant): RaisedEvent => ({ type: 'internal.oauth.changed', data: { grant_id: _id, account_id } });

/** Ends a grant and with it all its tokens; the gateways are told. A revoked grant stays as it is. */
export const revokeGrant = (_id: string, events: (grant: Grant) => readonly RaisedEvent[] = () => []): Promise<void> => {
  const caller = serviceCaller('identity');
  return saveWithRetry(caller, async () => {
    const grant = await unscoped(GrantModel).findOne({ _id, revoked_at: null });
    if (grant === null) return;
    await saveChange(
      GrantModel,
      { ...caller, principal: { ...caller.principal, org_id: grant.org_id } },
      grant,
      new Change({ revoked_at: new Date() }, [changed(grant), ...events(grant)]),
    );
  });
};

const grantsPerBatch = 10;

type Limits = { [K in 'project_id' | 'limited_client_id']?: Condition<string | null> };
type Revoked = { account_id: string; org_id?: string } | ({ connection_id: string } & Limits);

/** Revokes all live grants that match; returns their number. */
export async function revokeGrants(filter: Revoked): Promise<number> {
  for (let revoked = 0; ; ) {
    const found = await unscoped(GrantModel).find({ ...filter, revoked_at: null }, { limit: grantsPerBatch, fields: [] });
    await Promise.all(found.map(({ _id }) => revokeGrant(_id)));
    revoked += found.length;
    if (found.length < grantsPerBatch) return revoked;
  }
}

/** The names of clients by grant, of the organization. */
export async function clientNamesBy(org_id: string, ids: readonly string[]): Promise<Map<string, string>> {
  const found = await unscoped(GrantModel).find({ _id: where({ $in: [...ids] }), org_id }, { fields: ['client_name'] });
  return new Map(found.map(({ _id, client_name }) => [_id, client_name]));
}

export const forgetGrants = (account_id: string): Promise<unknown> =>
  unscoped(GrantModel).updateMany(
    { account_id, revoked_at: where<Date | null>({ $ne: null }) },
    { $set: { expires_at: new Date(), client_name: '-' } },
  );
