import { createHash } from 'node:crypto';
import { AppError, type Revision } from '@webkiln/contract';
import type { DraftRevision, ProjectState, ReplacedDraft } from '../projects/project-state.ts';

const maxReplaced = 50;

/** A revision before it has its number. */
export type NewRevision = Omit<DraftRevision, 'number'>;

type Drafts = Pick<ProjectState, 'draft_manifest_id' | 'draft_revision' | 'draft_revisions' | 'draft_revision_manifest_ids'>;
type Project = Pick<ProjectState, '_id' | 'template' | 'created_at'> & Omit<Drafts, 'draft_revision_manifest_ids'>;

/**
 * The states of the draft, newest first; the first one is the draft as it is. Empty without a draft. Fills in what
 * earlier versions did not store; the same each time.
 */
export function revisionsOf(project: Project): DraftRevision[] {
  const { draft_manifest_id, draft_revision, draft_revisions } = project;
  if (draft_manifest_id === null) return [];
  const isKnown = draft_revision !== null && draft_revision.manifest_id === draft_manifest_id;
  const current: ReplacedDraft = { ...(isKnown && draft_revision), manifest_id: draft_manifest_id, replaced_at: 'never' };
  const all = [current, ...draft_revisions];
  const revisions: DraftRevision[] = [];
  // From the oldest: each number and time follows from those before.
  for (const [index, { replaced_at, ...stored }] of [...all.entries()].reverse()) {
    const before = revisions.at(-1);
    revisions.push({
      ...filledIn(project, before),
      id: idOf(project._id, stored.manifest_id, replaced_at),
      created_at: all[index + 1]?.replaced_at ?? project.created_at,
      ...stored,
    });
  }
  return revisions.reverse();
}

/** The draft as it is; undefined without one. */
export const currentRevision = (project: Project): DraftRevision | undefined => revisionsOf(project)[0];

/** Throws `revision_not_found`. */
export function existingRevision(project: Project, id: string): DraftRevision {
  const found = revisionsOf(project).find((revision) => revision.id === id);
  if (found === undefined) throw new AppError('revision_not_found');
  return found;
}

/**
 * Makes `revision` the draft and keeps the replaced one among the latest 50. Empty if the draft has those files
 * already.
 */
export function replaceDraft(project: Project, revision: NewRevision): Partial<Drafts> {
  if (revision.manifest_id === project.draft_manifest_id) return {};
  const [replaced, ...earlier] = revisionsOf(project);
  const next = { draft_manifest_id: revision.manifest_id, draft_revision: { ...revision, number: (replaced?.number ?? 0) + 1 } };
  if (replaced === undefined) return next;
  const draft_revisions = [
    { ...replaced, replaced_at: revision.created_at },
    ...project.draft_revisions.map((stored, index) => ({ ...stored, ...earlier[index] })),
  ].slice(0, maxReplaced);
  return { ...next, draft_revisions, draft_revision_manifest_ids: draft_revisions.map(({ manifest_id }) => manifest_id) };
}

/** The manifests of the revisions that the next replaced draft drops from the list. */
export const manifestsDroppedByDraft = ({ draft_revision_manifest_ids }: Pick<Drafts, 'draft_revision_manifest_ids'>): string[] =>
  draft_revision_manifest_ids.slice(maxReplaced - 1);

/** The public record. */
export const toRevision = ({ manifest_id, author, ...revision }: DraftRevision, project: Project): Revision => ({
  ...revision,
  current: revision.id === currentRevision(project)?.id,
});

function filledIn({ template, draft_revisions }: Project, before: DraftRevision | undefined) {
  const isFirst = before === undefined && draft_revisions.length < maxReplaced;
  const source = isFirst && template !== null ? templateStart : ({ title: 'Files uploaded', origin: 'upload' } as const);
  return { ...source, turn_id: null, number: (before?.number ?? 0) + 1 };
}

/** The first revision of a project that was made of a template. */
const templateStart = { title: 'Started from a template', origin: 'template' } as const;

/** A UUID (RFC 9562 §5.8) for a revision that was stored without one. */
function idOf(projectId: string, manifestId: string, replacedAt: string): string {
  const hex = createHash('sha256').update(`revision\n${projectId}\n${manifestId}\n${replacedAt}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
