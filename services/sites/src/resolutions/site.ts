import type { IncomingReply } from '@webkiln/rpc';
import type { Encoding } from '@webkiln/runtime/representations';
import { type Representation, representationOf } from './representation.ts';

type Resolution = IncomingReply<'sites.ResolveSite'>;
type ListedFile = Resolution['files'][number];

/** A file of a live deploy, in whatever form it is wanted. */
export class PublishedFile {
  /** Which forms there are besides the file as it is. */
  readonly encodings: readonly Encoding[];
  readonly #orgId: string;
  readonly #listed: ListedFile;
  readonly #forms = new Map<Encoding, Representation>();

  constructor(orgId: string, listed: ListedFile) {
    this.#orgId = orgId;
    this.#listed = listed;
    this.encodings = listed.encodings.filter((encoding) => encoding === 'br' || encoding === 'gzip');
  }

  as(encoding: Encoding): Representation {
    const known = this.#forms.get(encoding);
    if (known !== undefined) return known;
    const made = representationOf(this.#orgId, this.#listed, encoding);
    this.#forms.set(encoding, made);
    return made;
  }
}

/** What is live under a name. */
export interface Site {
  readonly orgId: string;
  readonly projectId: string;
  readonly suspended: boolean;
  /** By path, relative to the site's root. */
  readonly files: ReadonlyMap<string, PublishedFile>;
}

/** The site of a resolution, or null where nothing is published. */
export function siteOf({ found, suspended, org_id, project_id, files }: Resolution): Site | null {
  if (!found) return null;
  return {
    orgId: org_id,
    projectId: project_id,
    suspended,
    files: new Map(files.map((file) => [file.path, new PublishedFile(org_id, file)])),
  };
}
