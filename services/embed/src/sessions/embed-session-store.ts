import { wholeListCap } from '@webkiln/contract';
import { Change, type RaisedEvent } from '@webkiln/messages';
import { placedQuota } from '@webkiln/org-policy';
import {
  acrossOrganizations,
  batchedById,
  coalescedPage,
  defineModel,
  definitionOf,
  type Filter,
  fieldsOf,
  insertChange,
  placeIndex,
  type Scope,
  type Stored,
  saveChange,
  saveWithRetry,
  scoped,
  type WholePage,
  where,
} from '@webkiln/store';
import { type EmbedSessionState, StoredEmbedSession } from './embed-session.ts';

export type EmbedSessionRecord = Stored<EmbedSessionState>;

/** Kept a while after they end, so that their last event is published. */
const keptSecondsAfterEnd = 3600;
const atOnce = 50;

const EmbedSessionModel = defineModel<EmbedSessionState>(
  'embed_sessions',
  {
    ...definitionOf(StoredEmbedSession),
    token_hash: { type: String, required: true },
    revoked_at: { type: Date, default: null },
    paused: { type: Boolean, default: false },
    place: { type: Number, default: null },
  },
  {
    ofProject: null,
    exportedAs: null,
    raisesEvents: true,
    indexes: [
      [{ org_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, org_client_id: 1, created_at: -1 }],
      [{ org_id: 1, embed_client_id: 1, created_at: -1 }],
      placeIndex('place'),
    ],
    indexesAcross: [
      [{ token_hash: 1 }, { unique: true }],
      [{ expires_at: 1 }, { expireAfterSeconds: keptSecondsAfterEnd }],
    ],
  },
);

export const embedSessionQuota = placedQuota('embed_sessions', (org_id) => ({
  model: EmbedSessionModel,
  scope: { org_id },
  within: {},
  field: 'place',
}));

/** Throws `quota_exceeded`. */
export const insertSession = (scope: Scope, state: EmbedSessionState): Promise<EmbedSessionRecord> =>
  embedSessionQuota.insert(state.org_id, (place) => insertChange(EmbedSessionModel, scope, new Change({ ...state, place }, [])));

const live = (): Filter<EmbedSessionRecord> => ({ revoked_at: null, expires_at: where({ $gt: new Date() }) });

const byId = batchedById(EmbedSessionModel);

/** Sessions whose tokens work, by the hashes of the tokens. */
export async function workingSessionsByHash(hashes: readonly string[]): Promise<Map<string, EmbedSessionRecord>> {
  const filter = { token_hash: where({ $in: [...hashes] }), paused: false, ...live() };
  const owners = await acrossOrganizations(EmbedSessionModel).owners('_id', 'created_at', filter);
  const found = await Promise.all(owners.map(({ org_id, key }) => byId({ org_id }, key)));
  return new Map(found.filter((session) => session !== null).map((session) => [session.token_hash, session]));
}

/** A session that has neither expired nor been revoked, or null. */
export const liveSession = (scope: Scope, _id: string): Promise<EmbedSessionRecord | null> =>
  scoped(EmbedSessionModel, scope).findOne({ _id, ...live() });

const page = coalescedPage(EmbedSessionModel, { fields: fieldsOf(StoredEmbedSession), sort: { created_at: -1, _id: 1 } });

/** Live sessions, newest first, and their total; without a limit everything up to the cap. */
export const sessionPage = (scope: Scope, { limit = wholeListCap, offset, cursor }: WholePage) =>
  page(scope, live(), { limit, offset, cursor });

type SessionChange = Partial<Pick<EmbedSessionState, 'revoked_at' | 'paused' | 'place'>>;

/** The gateways forget the token within a second. */
export const saveSession = (scope: Scope, current: EmbedSessionRecord, state: SessionChange, events: readonly RaisedEvent[] = []) =>
  saveChange(
    EmbedSessionModel,
    scope,
    current,
    new Change(state, [{ type: 'internal.embed_session.changed', data: { session_id: current._id } }, ...events]),
  );

/** Changes all live sessions that match; `filter` must not match a changed one. */
export async function changeSessions(scope: Scope, filter: Filter<EmbedSessionRecord>, state: SessionChange): Promise<void> {
  for (;;) {
    const found = await scoped(EmbedSessionModel, scope).find({ ...filter, ...live() }, { limit: atOnce });
    for (const { _id } of found) await changeSession(scope, _id, state);
    if (found.length < atOnce) return;
  }
}

const changeSession = (scope: Scope, _id: string, state: SessionChange): Promise<void> =>
  saveWithRetry({}, async () => {
    const current = await liveSession(scope, _id);
    if (current !== null) await saveSession(scope, current, state);
  });

export const revoked = (): SessionChange => ({ revoked_at: new Date(), place: null });
