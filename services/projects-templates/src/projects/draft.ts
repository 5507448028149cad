import type { ProjectState } from './project-state.ts';

const maxRevisions = 50;

type Drafts = Pick<ProjectState, 'draft_manifest_id' | 'draft_revisions' | 'draft_revision_manifest_ids'>;

/**
 * Makes `manifestId` the draft and keeps the replaced one as a revision, of which the latest 50 are kept. Empty if the
 * draft is that one already. `now` is ISO 8601.
 */
export function replaceDraft({ draft_manifest_id, draft_revisions }: Drafts, manifestId: string, now: string): Partial<Drafts> {
  if (manifestId === draft_manifest_id) return {};
  if (draft_manifest_id === null) return { draft_manifest_id: manifestId };
  const revisions = [{ manifest_id: draft_manifest_id, replaced_at: now }, ...draft_revisions].slice(0, maxRevisions);
  return {
    draft_manifest_id: manifestId,
    draft_revisions: revisions,
    draft_revision_manifest_ids: revisions.map(({ manifest_id }) => manifest_id),
  };
}

/** The manifests of the revisions that the next replaced draft drops from the list. */
export const manifestsDroppedByDraft = ({ draft_revision_manifest_ids }: Drafts): string[] =>
  draft_revision_manifest_ids.slice(maxRevisions - 1);
