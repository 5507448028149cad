import { AppError } from '@webkiln/contract';
import type { StoredAuthor } from '@webkiln/messages';
import { currentRevision, revisionsOf } from '../drafts/revision.ts';
import type { DraftRevision, ProjectState } from '../projects/project-state.ts';

/** A state of a site that is kept: a revision of its draft, a deploy, or both. */
export interface Version {
  readonly id: string;
  readonly kind: 'revision' | 'deploy';
  /** Null for a deploy alone, whose manifest has also what visitors get. */
  readonly number: number | null;
  readonly manifest_id: string;
  readonly message: string;
  readonly origin: DraftRevision['origin'];
  readonly turn_id: string | null;
  readonly author: StoredAuthor | undefined;
  readonly live: boolean;
  readonly draft: boolean;
  /** ISO 8601. */
  readonly created_at: string;
}

const published = 'Published';

/** The kept states of a site, newest first. A deploy of files that became the draft is one state with it. */
export function versionsOf(project: ProjectState): Version[] {
  const current = currentRevision(project)?.id;
  const versions = new Map<string, Version>();
  for (const { title, ...revision } of revisionsOf(project)) {
    const { id, number, manifest_id, origin, turn_id, author, created_at } = revision;
    const draft = id === current;
    versions.set(id, {
      id,
      kind: 'revision',
      number,
      manifest_id,
      message: title,
      origin,
      turn_id,
      author,
      live: false,
      draft,
      created_at,
    });
  }
  for (const { id, manifest_id, message, author, created_at } of project.deploys) {
    const live = id === project.live_deploy_id;
    const own = { id, number: null, manifest_id, origin: 'publish', turn_id: null, draft: false, created_at } as const;
    const known = versions.get(id);
    versions.set(id, {
      ...(known ?? own),
      kind: 'deploy',
      message: message ?? known?.message ?? published,
      author: author ?? known?.author,
      live,
    });
  }
  return [...versions.values()].sort((a, b) => (a.created_at === b.created_at ? 0 : a.created_at < b.created_at ? 1 : -1));
}

/** Throws `revision_not_found`. */
export function existingVersion(project: ProjectState, id: string): Version {
  const found = versionsOf(project).find((version) => version.id === id);
  if (found === undefined) throw new AppError('revision_not_found');
  return found;
}

/** What a state is compared with; undefined if there is none. `previous` of a deploy is the deploy before it. */
export function comparedWith(project: ProjectState, { id, kind }: Version, against: string | undefined): Version | undefined {
  const versions = versionsOf(project);
  if (against === 'draft') return versions.find(({ draft }) => draft);
  if (against !== 'previous') return versions.find(({ live }) => live);
  const alike = versions.filter((version) => (kind === 'deploy' ? version.kind === kind : version.number !== null));
  return alike[alike.findIndex((version) => version.id === id) + 1];
}
