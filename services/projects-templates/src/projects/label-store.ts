import { AppError } from '@webkiln/contract';
import { defineGlobalModel, insertAtPlace, newId, placeIndex, type Session, type Tenant, unscoped, where } from '@webkiln/store';
import type { ProjectState } from './project-state.ts';
import { type ProjectRecord, projectById } from './project-store.ts';

const dayMs = 24 * 3600_000;
/** How long others cannot take a label that a site left. */
export const labelHeldMs = 90 * dayMs;
/** How long it is known after that that a label had another site. */
const rememberedMs = 365 * dayMs;
/** Longer than most visitors of the site before stay away. No cookie is needed to know who came already. */
const clearingMs = 30 * dayMs;
/** Held labels of one organization; further ones are free at once. */
const maxHeldPerOrganization = 1000;
/** Each name may need a certificate of its own, and authorities issue a few a week for all sites together. */
export const maxRenamesPerDay = 10;

/** A label that a site left. Those of one label that are still held are of one organization, which may take it. */
interface LeftLabel {
  /** Begins with the organization. */
  _id: string;
  org_id: string;
  project_id: string;
  label: string;
  held_until: Date;
  /** The project and day (UTC) of a rename, and its place among the renames of both. Null for a deletion. */
  renamed: string | null;
  place: number | null;
  expires_at: Date;
}

// Global: a label is one site's among those of all organizations.
const LeftLabelModel = defineGlobalModel<LeftLabel>(
  'left_labels',
  {
    org_id: { type: String, required: true },
    project_id: { type: String, required: true },
    label: { type: String, required: true },
    held_until: { type: Date, required: true },
    renamed: { type: String, default: null },
    place: { type: Number, default: null },
    expires_at: { type: Date, required: true },
  },
  {
    exportedAs: null,
    indexes: [
      [{ label: 1, held_until: -1 }],
      [{ org_id: 1, held_until: 1 }],
      [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
      placeIndex('place', 'renamed'),
    ],
  },
);

type Leaving = Pick<ProjectState, '_id' | 'org_id' | 'subdomain'>;

/** Runs a rename at a free place of the project's day. Throws `too_many_renames`. */
export function atRenamePlace<R>({ _id, org_id }: Leaving, now: Date, rename: (place: RenamePlace) => Promise<R>): Promise<R> {
  const renamed = `${_id} ${now.toISOString().slice(0, 10)}`;
  const full = () => new AppError('too_many_renames');
  const index = { model: LeftLabelModel, scope: { org_id }, within: { org_id, renamed }, field: 'place', limit: maxRenamesPerDay } as const;
  return insertAtPlace({ ...index, full }, (place) => rename({ renamed, place }));
}

/** The place of a rename, for `leaveLabel`. */
export type RenamePlace = Pick<LeftLabel, 'renamed' | 'place'>;

/** Holds the label that a site leaves for its organization: that of a rename at its place, that of a deletion once. */
export async function leaveLabel({ _id: project_id, org_id, subdomain: label }: Leaving, rename?: RenamePlace, session?: Session) {
  if (label === null) return;
  const labels = unscoped(LeftLabelModel, session);
  const now = Date.now();
  const held = await labels.count({ org_id, held_until: where({ $gt: new Date(now) }) }, maxHeldPerOrganization);
  const held_until = new Date(held < maxHeldPerOrganization ? now + labelHeldMs : now);
  const { renamed, place } = rename ?? { renamed: null, place: null };
  const fields = { org_id, project_id, label, held_until, renamed, place, expires_at: new Date(now + labelHeldMs + rememberedMs) };
  if (rename === undefined) await labels.updateOne({ _id: `${org_id} ${project_id}` }, { $set: fields }, { upsert: true });
  else await labels.insert({ _id: `${org_id} ${newId(undefined)}`, ...fields });
}

/**
 * Returns until when the project's pages clear what a site of another project at the same label left in browsers; null
 * if there was none. Throws `subdomain_taken` while the label is held for another organization. Call it in the
 * transaction that takes the label: one that leaves it meanwhile is seen, or the label is not free yet.
 */
export async function takeLabel({ org_id, session }: Tenant, project_id: string, label: string): Promise<string | null> {
  const labels = unscoped(LeftLabelModel, session);
  const now = Date.now();
  const [last] = await labels.find({ label }, { sort: { held_until: -1 }, limit: 1 });
  if (last === undefined) return null;
  if (last.org_id !== org_id && last.held_until.getTime() > now) throw new AppError('subdomain_taken');
  const ofOthers = await labels.count({ label, project_id: where({ $ne: project_id }) }, 1);
  return ofOthers === 0 ? null : new Date(now + clearingMs).toISOString();
}

/** The project whose site left a label that is still held, in any organization. Null if there is none. */
export async function projectThatLeft(label: string): Promise<ProjectRecord | null> {
  const held = { label, held_until: where({ $gt: new Date() }) };
  const [last] = await unscoped(LeftLabelModel).find(held, { sort: { held_until: -1 }, limit: 1 });
  return last === undefined ? null : projectById({ org_id: last.org_id }, last.project_id);
}
