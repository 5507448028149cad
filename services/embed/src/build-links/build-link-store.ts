import { AppError, BuildLink, createProjection, type StateOf, wholeListCap, withDates } from '@webkiln/contract';
import { type Caller, Change } from '@webkiln/messages';
import { placedQuota } from '@webkiln/org-policy';
import {
  acrossOrganizations,
  coalescedPage,
  defineModel,
  definitionOf,
  fieldsOf,
  insertChange,
  placeIndex,
  type Scope,
  saveChange,
  saveWithRetry,
  scoped,
  type WholePage,
  where,
} from '@webkiln/store';

const computed = { url: true } as const;
const DatedBuildLink = withDates(BuildLink);
const StoredBuildLink = DatedBuildLink.omit(computed);

/** A prompt and what it is to be built with, for whoever opens the link. */
interface BuildLinkState extends StateOf<typeof StoredBuildLink> {
  org_id: string;
  /** Its place in the organization's quota. */
  place?: number | null;
}

// Expired links are deleted, which makes their places free.
const BuildLinkModel = defineModel<BuildLinkState>(
  'build_links',
  { ...definitionOf(StoredBuildLink), place: { type: Number, default: null } },
  {
    exportedAs: 'build-links',
    indexes: [[{ org_id: 1, created_at: -1, _id: 1 }], placeIndex('place')],
    indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
  },
);

export const buildLinkQuota = placedQuota('build_links', (org_id) => ({
  model: BuildLinkModel,
  scope: { org_id },
  within: {},
  field: 'place',
}));

const shown = createProjection(DatedBuildLink, computed);

/** The public record. `origin`: the platform's public address. */
export const toBuildLink = (origin: string, link: BuildLinkState) => ({ ...shown(link), url: `${origin}/build?l=${link._id}` });

/** Inserts a link, or returns the one of an earlier attempt of the same request. Throws `quota_exceeded`. */
export const insertBuildLink = (scope: Scope, state: BuildLinkState): Promise<BuildLinkState> =>
  buildLinkQuota.insert(state.org_id, (place) => insertChange(BuildLinkModel, scope, new Change({ ...state, place }, [])));

const page = coalescedPage(BuildLinkModel, { fields: fieldsOf(StoredBuildLink), sort: { created_at: -1, _id: 1 } });

/** Links that have not expired, newest first. */
export const buildLinkPage = (scope: Scope, { limit = wholeListCap, offset, cursor }: WholePage) =>
  page(scope, { expires_at: where({ $gt: new Date() }) }, { limit, offset, cursor });

/** Throws `build_link_not_found`. */
export const changeBuildLink = (caller: Caller, _id: string, wanted: Partial<Pick<BuildLinkState, 'allows_joining'>>) =>
  saveWithRetry(caller, async () => {
    const link = await scoped(BuildLinkModel, caller).findOne({ _id, expires_at: where({ $gt: new Date() }) });
    if (link === null) throw new AppError('build_link_not_found');
    return saveChange(BuildLinkModel, caller, link, new Change(wanted, []));
  });

/** Throws `build_link_not_found`. */
export async function deleteBuildLink(scope: Scope, _id: string): Promise<void> {
  const { deletedCount } = await scoped(BuildLinkModel, scope).deleteOne({ _id });
  if (deletedCount === 0) throw new AppError('build_link_not_found');
}

/** A link that has not expired, of any organization. Throws `build_link_not_found`. */
export async function buildLinkAnywhere(_id: string): Promise<BuildLinkState> {
  const [owner] = await acrossOrganizations(BuildLinkModel).owners('_id', 'created_at', { _id, expires_at: where({ $gt: new Date() }) });
  const link = owner === undefined ? null : await scoped(BuildLinkModel, { org_id: owner.org_id }).findOne({ _id });
  if (link === null) throw new AppError('build_link_not_found');
  return link;
}
