import type { Encoding } from '@webkiln/http';
import { isSuspended, type Suspension } from '@webkiln/org-policy';
import type { IncomingReply } from '@webkiln/rpc';
import { HeaderRules, Redirects } from '@webkiln/site-rules';
import { createRepresentation, type ListedFile, type MetadataOf, type Representation } from './representation.ts';

type Resolution = Pick<
  IncomingReply<'sites.ResolveSite'>,
  | 'org_id'
  | 'project_id'
  | 'suspended'
  | 'organization_suspended'
  | 'standing_version'
  | 'taken_down'
  | 'files'
  | 'redirects'
  | 'headers'
  | 'earlier_files'
>;

/** A file of a live deploy or a draft, with one representation per encoding. */
export class PublishedFile {
  /** Available encodings besides identity. */
  readonly encodings: readonly Encoding[];
  readonly #orgId: string;
  readonly #listed: ListedFile;
  readonly #metadataOf: MetadataOf;
  readonly #representations = new Map<Encoding, Representation>();

  constructor(orgId: string, listed: ListedFile, metadataOf: MetadataOf) {
    this.#orgId = orgId;
    this.#listed = listed;
    this.#metadataOf = metadataOf;
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
    const created = createRepresentation(this.#orgId, this.#listed, encoding, this.#metadataOf);
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
  /** By path, relative to the site's root; in NFC too, unless another file has that name. */
  readonly files: ReadonlyMap<string, PublishedFile>;
  /** What its own `_redirects` and `_headers` say. Undefined without any. */
  readonly rules?: SiteRules;
}

interface SiteRules {
  /** Rules that come before the site's files, and rules for what no file answers. */
  readonly forced: Redirects;
  readonly fallback: Redirects;
  readonly headers: HeaderRules;
  /** How many there are: they take room in memory as files do. */
  readonly count: number;
}

export const siteOf = (resolution: Resolution, metadataOf: MetadataOf): Site => ({
  orgId: resolution.org_id,
  projectId: resolution.project_id,
  isTakenDown: resolution.taken_down,
  isClientSuspended: resolution.suspended,
  suspension: { version: resolution.standing_version, suspended: resolution.organization_suspended },
  files: filesByPath(resolution, metadataOf),
  ...rulesOf(resolution),
});

function filesByPath({ org_id, files, earlier_files }: Resolution, metadataOf: MetadataOf): ReadonlyMap<string, PublishedFile> {
  const byPath = new Map<string, PublishedFile>();
  for (const file of [...earlier_files, ...files]) byPath.set(file.path, new PublishedFile(org_id, file, metadataOf));
  // macOS names files in NFD, while links and typed addresses are in NFC.
  for (const [path, file] of [...byPath]) {
    const composed = path.normalize('NFC');
    if (composed !== path && !byPath.has(composed)) byPath.set(composed, file);
  }
  return byPath;
}

function rulesOf({ redirects, headers }: Resolution): Pick<Site, 'rules'> {
  if (redirects.length === 0 && headers.length === 0) return {};
  const of = (wanted: boolean) => new Redirects(redirects.filter(({ is_forced }) => is_forced === wanted));
  return { rules: { forced: of(true), fallback: of(false), headers: new HeaderRules(headers), count: redirects.length + headers.length } };
}

/** Why visitors get a notice instead of the site; undefined if they get the site. */
export function pauseOf({ isTakenDown, isClientSuspended, orgId, suspension }: Site): 'taken_down' | 'suspended' | undefined {
  if (isTakenDown) return 'taken_down';
  return isClientSuspended || isSuspended(orgId, suspension) ? 'suspended' : undefined;
}

export const hasExpired = ({ expiresAt }: Site): boolean => expiresAt !== undefined && expiresAt <= Date.now();
