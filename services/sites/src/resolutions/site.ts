import type { Encoding } from '@webkiln/http';
import { isSuspended, type Suspension } from '@webkiln/org-policy';
import type { IncomingReply } from '@webkiln/rpc';
import { type CacheControl, createRepresentation, type Representation } from './representation.ts';

type Resolution = Pick<
  IncomingReply<'sites.ResolveSite'>,
  'org_id' | 'project_id' | 'suspended' | 'organization_suspended' | 'standing_version' | 'taken_down' | 'files'
>;
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

  get contentType(): string {
    return this.#listed.content_type;
  }

  get isPage(): boolean {
    return this.contentType.startsWith('text/html');
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
  readonly isTakenDown: boolean;
  /** True if its client is suspended or churned. */
  readonly isClientSuspended: boolean;
  /** True if its client joined by a link: what visitors send counts on the share of those who did. */
  readonly isOfJoined?: boolean;
  /** The state of its organization when the name was looked up. */
  readonly suspension: Suspension;
  /** When it expires, in milliseconds since the epoch; undefined for never. */
  readonly expiresAt?: number;
  /** The origin to which the site has moved from the name. */
  readonly movedTo?: string;
  /** Until when its pages clear what another site at the name left in browsers, in milliseconds since the epoch. */
  readonly clearsStorageUntil?: number;
  /** By path, relative to the site's root. */
  readonly files: ReadonlyMap<string, PublishedFile>;
}

export const siteOf = (resolution: Resolution, cacheControl: CacheControl): Site => ({
  orgId: resolution.org_id,
  projectId: resolution.project_id,
  isTakenDown: resolution.taken_down,
  isClientSuspended: resolution.suspended,
  suspension: { version: resolution.standing_version, suspended: resolution.organization_suspended },
  files: new Map(resolution.files.map((file) => [file.path, new PublishedFile(resolution.org_id, file, cacheControl)])),
});

/** Why visitors get a notice instead of the site; undefined if they get the site. */
export function pauseOf({ isTakenDown, isClientSuspended, orgId, suspension }: Site): 'taken_down' | 'suspended' | undefined {
  if (isTakenDown) return 'taken_down';
  return isClientSuspended || isSuspended(orgId, suspension) ? 'suspended' : undefined;
}

export const hasExpired = ({ expiresAt }: Site): boolean => expiresAt !== undefined && expiresAt <= Date.now();

/** A file, or the path to redirect to. */
type Page = { readonly file: PublishedFile } | { readonly location: string };

/**
 * Resolves a decoded URL path ("/about"); undefined if there is nothing. ".html" may be omitted, and a folder serves
 * its index.html. A page requested with a trailing slash, or a folder without one, redirects, because relative links
 * depend on the last "/".
 */
export function findPage({ files }: Site, path: string): Page | undefined {
  const wanted = path.slice(1);
  if (wanted === '' || wanted.endsWith('/')) {
    const index = files.get(`${wanted}index.html`);
    if (index !== undefined) return { file: index };
    const page = wanted.slice(0, -1);
    return files.has(`${page}.html`) ? { location: locationOf(page) } : undefined;
  }
  const file = files.get(wanted) ?? files.get(`${wanted}.html`);
  if (file !== undefined) return { file };
  return files.has(`${wanted}/index.html`) ? { location: locationOf(`${wanted}/`) } : undefined;
}

/** Built from the path of an existing file, so it starts with exactly one "/" and cannot leave the site. */
const locationOf = (path: string) => `/${path.split('/').map(encodeURIComponent).join('/')}`;
