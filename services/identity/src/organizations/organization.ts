import { createHash } from 'node:crypto';
import { changedFields, Name } from '@webkiln/contract';
import * as z from 'zod';

/** An agency as it is kept. `rate_limit` is its own quota per window, null for the platform's. */
export interface OrganizationState {
  _id: string;
  name: string;
  slug: string;
  /** ISO 4217 */
  currency: string;
  rate_limit: number | null;
  /** How its clients see it. */
  logo_sha256: string | null;
  accent_color: string | null;
  mail_sender_name: string | null;
  /** Counts changes of who owns it: two who make one at once then do so one after the other. */
  owners_changed: number;
  created_at: Date;
}

export type OrganizationDraft = Pick<OrganizationState, '_id' | 'name' | 'slug' | 'rate_limit'>;

// Shorter than a UUID, so that a slug is never taken for an id.
const longestSlug = 32;
const candidates = 20;
const defaultCurrency = 'USD';

export const NewOrganization = z.object({
  name: Name,
  slug: z
    .string()
    .max(longestSlug, `must have at most ${longestSlug} characters`)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens between them')
    .optional(),
  rate_limit: z.int().min(1, 'must be at least 1').max(1_000_000, 'must be at most 1000000').optional(),
});

/** As operators see it. */
export const toOrganization = ({ _id, name, slug, currency, rate_limit, created_at }: OrganizationState) => ({
  id: _id,
  name,
  slug,
  currency,
  rate_limit,
  created_at: created_at.toISOString(),
});

/** As its members see it. */
export const toOwnOrganization = (organization: OrganizationState) => ({
  id: organization._id,
  name: organization.name,
  slug: organization.slug,
  currency: organization.currency,
  logo_url: logoUrl(organization),
  accent_color: organization.accent_color,
  mail_sender_name: organization.mail_sender_name,
  created_at: organization.created_at.toISOString(),
});

/** Relative to the platform's own address; a logo is named by its content, so that what is at its address never changes. */
const logoUrl = ({ logo_sha256 }: OrganizationState) => (logo_sha256 === null ? null : `/logos/${logo_sha256}`);

/** As its clients see it. */
export const toBrand = (organization: OrganizationState) => ({
  name: organization.name,
  sender_name: organization.mail_sender_name ?? organization.name,
  logo_url: logoUrl(organization),
  accent_color: organization.accent_color,
});

const changeable = ['name', 'logo_sha256', 'accent_color', 'mail_sender_name'] as const satisfies readonly (keyof OrganizationState)[];
type OrganizationFields = Pick<OrganizationState, (typeof changeable)[number]>;

/** What a member may change: null takes the logo away. */
export interface OrganizationWish extends Omit<OrganizationFields, 'logo_sha256'> {
  logo: Uint8Array | null;
}
export type OrganizationChange = Partial<OrganizationFields & LogoContent>;

/** The picture itself: it is read for who asks for it, and with nothing else. Written as bytes; read as MongoDB's form of them. */
export interface LogoContent {
  logo_content: Uint8Array | { readonly buffer: Uint8Array } | null;
}

/** The fields that differ; null when none does. */
export function changeOrganization(current: OrganizationState, { logo, ...wanted }: Partial<OrganizationWish>): OrganizationChange | null {
  if (logo === undefined) return changedFields(current, wanted, changeable);
  const logo_sha256 = logo && createHash('sha256').update(logo).digest('hex');
  const change = changedFields(current, { ...wanted, logo_sha256 }, changeable);
  return change?.logo_sha256 === undefined ? change : { ...change, logo_content: logo };
}

export const openOrganization = (draft: OrganizationDraft, now: Date): OrganizationState => ({
  ...draft,
  currency: defaultCurrency,
  logo_sha256: null,
  accent_color: null,
  mail_sender_name: null,
  owners_changed: 0,
  created_at: now,
});

/** Slugs for a name, the plain one first, then numbered ones for where it is taken. */
export function slugsOf(name: string): string[] {
  const slug = hyphenated(name, longestSlug) || 'organization';
  const numbered = Array.from({ length: candidates - 1 }, (_, at) => {
    const suffix = `-${at + 2}`;
    return hyphenated(slug, longestSlug - suffix.length) + suffix;
  });
  return [slug, ...numbered];
}

const hyphenated = (text: string, length: number) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, length)
    .replace(/-$/, '');
