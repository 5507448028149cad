import type { IncomingReply } from '@webkiln/rpc';
import type { Encoding } from '@webkiln/runtime/representations';
import type { CacheControl } from './cache-control.ts';
import { type Representation, representationOf } from './representation.ts';

type Resolution = Pick<IncomingReply<'sites.ResolveSite'>, 'org_id' | 'project_id' | 'suspended' | 'files'>;
type ListedFile = Resolution['files'][number];

/** A file of a live deploy or a draft, in whatever form it is wanted. */
export class PublishedFile {
  /** Which forms there are besides the file as it is. */
  readonly encodings: readonly Encoding[];
  readonly #orgId: string;
  readonly #listed: ListedFile;
  readonly #cacheControl: CacheControl;
  readonly #forms = new Map<Encoding, Representation>();

  constructor(orgId: string, listed: ListedFile, cacheControl: CacheControl) {
    this.#orgId = orgId;
    this.#listed = listed;
    this.#cacheControl = cacheControl;
    this.encodings = listed.encodings.filter((encoding) => encoding === 'br' || encoding === 'gzip');
  }

  as(encoding: Encoding): Representation {
    const known = this.#forms.get(encoding);
    if (known !== undefined) return known;
    const made = representationOf(this.#orgId, this.#listed, encoding, this.#cacheControl);
    this.#forms.set(encoding, made);
    return made;
  }
}

/** What is shown under a name. */
export interface Site {
  readonly orgId: string;
  readonly projectId: string;
  readonly suspended: boolean;
  /** Milliseconds since the epoch at which it is over, where it ends. */
  readonly endsAt?: number;
  /** By path, relative to the site's root. */
  readonly files: ReadonlyMap<string, PublishedFile>;
}

/** The site of a resolution that found one. */
export const siteOf = ({ suspended, org_id, project_id, files }: Resolution, cacheControl: CacheControl): Site => ({
  orgId: org_id,
  projectId: project_id,
  suspended,
  files: new Map(files.map((file) => [file.path, new PublishedFile(org_id, file, cacheControl)])),
});

export const hasEnded = ({ endsAt }: Site): boolean => endsAt !== undefined && endsAt <= Date.now();
