import type { Encoding } from '@webkiln/http';
import type { IncomingReply } from '@webkiln/rpc';
import type { CacheControl } from './cache-control.ts';
import { createRepresentation, type Representation } from './representation.ts';

type Resolution = Pick<IncomingReply<'sites.ResolveSite'>, 'org_id' | 'project_id' | 'suspended' | 'files'>;
type ListedFile = Resolution['files'][number];

/** A file of a live deploy or a draft, with one representation per encoding. */
export class PublishedFile {
  /** Available encodings besides identity. */
  readonly encodings: readonly Encoding[];
  readonly #orgId: string;
  readonly #listed: ListedFile;
  readonly #cacheControl: CacheControl;
  readonly #representations = new Map<Encoding, Representation>();

  constructor(orgId: string, listed: ListedFile, cacheControl: CacheControl) {
    this.#orgId = orgId;
    this.#listed = listed;
    this.#cacheControl = cacheControl;
    this.encodings = listed.encodings.filter((encoding) => encoding === 'br' || encoding === 'gzip');
  }

  representation(encoding: Encoding): Representation {
    const cached = this.#representations.get(encoding);
    if (cached !== undefined) return cached;
    const created = createRepresentation(this.#orgId, this.#listed, encoding, this.#cacheControl);
    this.#representations.set(encoding, created);
    return created;
  }
}

/** The site that a name resolves to. */
export interface Site {
  readonly orgId: string;
  readonly projectId: string;
  readonly suspended: boolean;
  /** When it expires, in milliseconds since the epoch; undefined for never. */
  readonly expiresAt?: number;
  /** By path, relative to the site's root. */
  readonly files: ReadonlyMap<string, PublishedFile>;
}

export const siteOf = ({ suspended, org_id, project_id, files }: Resolution, cacheControl: CacheControl): Site => ({
  orgId: org_id,
  projectId: project_id,
  suspended,
  files: new Map(files.map((file) => [file.path, new PublishedFile(org_id, file, cacheControl)])),
});

export const hasExpired = ({ expiresAt }: Site): boolean => expiresAt !== undefined && expiresAt <= Date.now();
