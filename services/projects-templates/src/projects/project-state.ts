import { type Deploy, Project, type Revision, type StateOf } from '@webkiln/contract';
import type { StoredAuthor } from '@webkiln/messages';

/** One deploy inside its project's document. `created_at` is ISO 8601. */
interface DeployState extends Omit<Deploy, 'live'> {
  manifest_id: string;
  /** Undefined, as is the author, for deploys of earlier releases. */
  message?: string | null;
  author?: StoredAuthor;
  /** When another deploy became live in its place. Undefined for the live one, and for deploys of earlier releases. */
  replaced_at?: string;
}

/** A state of a draft. `created_at` is ISO 8601. */
export type DraftRevision = Omit<Revision, 'current'> & { manifest_id: string; author?: StoredAuthor };

/** A draft that another one replaced. `replaced_at` is ISO 8601. Earlier versions stored these two fields alone. */
export type ReplacedDraft = Partial<DraftRevision> & { manifest_id: string; replaced_at: string };

/** Public fields that the document does not store: they are computed, or null until the feature exists. */
export const computedFields = {
  custom_domain: true,
  custom_domain_status: true,
  published_url: true,
  preview_image_url: true,
} as const;
/** The public fields that the document stores. `subdomain` is null until the first publish. */
export const StoredProject = Project.omit(computedFields);

/**
 * The stored document of a project. Times are strings: ISO 8601, UTC, milliseconds. Equal length makes them sort
 * chronologically, and reads skip the conversion from `Date`, which would cost more than half as much as reading the
 * document.
 */
export interface ProjectState extends Omit<StateOf<typeof StoredProject>, 'org_id'> {
  org_id: string;
  draft_manifest_id: string | null;
  /** The draft as it is. Null without a draft, and in documents of earlier versions. */
  draft_revision: DraftRevision | null;
  /** The latest drafts that were replaced, newest first. */
  draft_revisions: ReplacedDraft[];
  /** The manifests of `draft_revisions`, indexed like those of the deploys. */
  draft_revision_manifest_ids: string[];
  /** The latest deploys, newest first. */
  deploys: DeployState[];
  /** The manifests of `deploys`. Indexed, so that garbage collection finds references to a manifest. */
  deploy_manifest_ids: string[];
  live_deploy_id: string | null;
  /** The latest deploy that has a preview image. Its image is used until the live deploy has one. */
  pictured_deploy_id: string | null;
  /** True if the client is suspended or churned. Visitors then see a notice instead of the site. */
  is_suspended: boolean;
  /** Until when the pages at its subdomain clear what another site there left in browsers. ISO 8601; null for never. */
  clears_storage_until: string | null;
  /** The custom domains at which the site is live, the primary one first. */
  custom_domain_names: string[];
  /** When and why an operator took the site down; null if it is not. The owner cannot change it. ISO 8601. */
  taken_down_at: string | null;
  taken_down_reason: string | null;
  /** Its places in the quota of its organization and in the plan of its client. */
  place?: number | null;
  site_place?: number | null;
  /** Its place in the share of clients who joined by a link, if its client did. */
  joined_place?: number | null;
}

export type ProjectDraft = Pick<
  ProjectState,
  '_id' | 'org_id' | 'user_id' | 'org_client_id' | 'name' | 'description' | 'template' | 'draft_manifest_id'
>;

/** The fields before the first publish and the second draft. Also fills in documents that are older than them. */
export const unpublished = {
  draft_revision: null,
  draft_revisions: [],
  draft_revision_manifest_ids: [],
  subdomain: null,
  last_published_at: null,
  last_opened_at: null,
  deploys: [],
  deploy_manifest_ids: [],
  live_deploy_id: null,
  pictured_deploy_id: null,
  is_suspended: false,
  taken_down_at: null,
  taken_down_reason: null,
  clears_storage_until: null,
  custom_domain_names: [],
} as const satisfies Partial<ProjectState>;

/** The part of a project that its public fields are computed from. */
export type PublicProjectState = Omit<
  ProjectState,
  | 'draft_manifest_id'
  | 'draft_revision'
  | 'draft_revisions'
  | 'draft_revision_manifest_ids'
  | 'deploys'
  | 'deploy_manifest_ids'
  | 'live_deploy_id'
  | 'is_suspended'
  | 'clears_storage_until'
  | 'taken_down_at'
  | 'taken_down_reason'
>;
