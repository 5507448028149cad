import { defineModel, scoped, type Tenant, where } from '@webkiln/store';
import type { ProjectState } from '../projects/project-state.ts';
import { currentRevision } from './revision.ts';

/** A turn writes at least this often, or its files so far are not shown any more. */
const lifetimeSeconds = 15 * 60;

/** The files that a running turn has made so far, which previews show. `_id` is the project's. */
interface Overlay {
  _id: string;
  org_id: string;
  turn_id: string;
  /** The revision that the turn began with; null: there was no draft. */
  base_revision_id: string | null;
  manifest_id: string;
  at: Date;
}

export const OverlayModel = defineModel<Overlay>(
  'draft_overlays',
  {
    turn_id: { type: String, required: true },
    base_revision_id: { type: String, default: null },
    manifest_id: { type: String, required: true },
    at: { type: Date, required: true },
  },
  {
    ofProject: '_id',
    exportedAs: null,
    indexes: [[{ org_id: 1, manifest_id: 1 }]],
    indexesAcross: [[{ at: 1 }, { expireAfterSeconds: lifetimeSeconds }]],
  },
);

/** Replaces what previews of the project show. The caller has leased the manifest. */
export async function saveOverlay(
  { org_id }: Tenant,
  { project_id, ...overlay }: Omit<Overlay, '_id' | 'org_id' | 'at'> & { project_id: string },
): Promise<void> {
  await scoped(OverlayModel, { org_id }).updateOne({ _id: project_id }, { $set: { ...overlay, at: new Date() } }, { upsert: true });
}

/** Ends the overlay of a turn, or of any one without `turn_id`. */
export async function deleteOverlay({ org_id }: Tenant, project_id: string, turn_id?: string): Promise<void> {
  await scoped(OverlayModel, { org_id }).deleteOne({ _id: project_id, ...(turn_id !== undefined && { turn_id }) });
}

/** The manifest that previews show instead of the draft: of a turn whose beginning is still the draft. Null without. */
export async function shownOverlay(project: ProjectState): Promise<string | null> {
  const after = new Date(Date.now() - lifetimeSeconds * 1000);
  const overlay = await scoped(OverlayModel, { org_id: project.org_id }).findOne({ _id: project._id, at: where({ $gt: after }) });
  return overlay !== null && overlay.base_revision_id === (currentRevision(project)?.id ?? null) ? overlay.manifest_id : null;
}
