import { createHash } from 'node:crypto';
import {
  type AgentAccess,
  changedFields,
  createProjection,
  type Language,
  Name,
  Organization,
  type StateOf,
  withDates,
} from '@webkiln/contract';
import type { QuotaLimits, ServiceName } from '@webkiln/messages';
import * as z from 'zod';

const computedFields = { logo_url: true } as const;
const DatedOrganization = withDates(Organization);
export const StoredOrganization = DatedOrganization.omit(computedFields);

/** All services are asked once to delete what they have of an organization. */
export interface ErasureRound {
  readonly number: number;
  readonly begun_at: Date;
  /** When all services had reported for the first time: since then each refuses new records of the organization. */
  readonly closed_at?: Date | undefined;
  /** How many records each service found, of those that have reported. */
  readonly deleted: Partial<Readonly<Record<ServiceName, number>>>;
}

/** A stored agency. `rate_limit` is its own quota per window; null means the platform's default. */
export interface OrganizationState
  extends Omit<
    StateOf<typeof StoredOrganization>,
    'contact_email' | 'client_tools' | 'require_second_factor' | 'client_reports' | 'language'
  > {
  /** Absent in records of before there were contacts. */
  contact_email?: string | null;
  /** Absent in records of before there was such a choice; so are the next. */
  client_tools?: boolean;
  require_second_factor?: boolean;
  client_reports?: boolean;
  language?: Language | null;
  rate_limit: number | null;
  logo_sha256: string | null;
  /** Set while an operator has suspended it. Absent in records of before there was suspension; so are the limits. */
  suspended_at?: Date | null;
  /** The limits that an operator has set; the settings' apply to the rest. */
  limits?: QuotaLimits;
  /** When it is to be erased; absent or null if it is not, or is erased. */
  erase_at?: Date | null;
  /** Since its erasure has begun. */
  erasure_round?: ErasureRound | null;
  erased_at?: Date | null;
  /** False if an owner switched agents off. Absent in records of before there were agents. */
  agents_enabled?: boolean;
  /** Names of tools that agents may not use; absent as `agents_enabled` is. */
  disabled_tools?: AgentAccess['disabled_tools'];
  /** True once an owner let agents build and publish; absent as `agents_enabled` is. */
  agents_can_build?: boolean;
  /** False if agents need not ask after they have read what others wrote; absent as `agents_enabled` is. */
  agents_should_ask?: boolean;
  /** Names of tools about which agents always ask; absent as `agents_enabled` is. */
  ask_first_tools?: AgentAccess['ask_first_tools'];
  /** A counter that serializes concurrent changes of owners: see `lockOwners`. */
  owners_changed: number;
  /** The revision of the payment settings that `currency` is from; 0 before there were any. */
  currency_revision: number;
}

export type OrganizationDraft = Pick<OrganizationState, '_id' | 'name' | 'slug' | 'rate_limit' | 'language'>;

const defaultCurrency = 'USD';
/** Shorter than a UUID, so that a slug cannot be confused with an id. */
const maxSlugLength = 32;
const maxSlugCandidates = 20;

export const NewOrganization = z.object({
  name: Name,
  slug: z
    .string()
    .max(maxSlugLength, `must have at most ${maxSlugLength} characters`)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens between them')
    .optional(),
  rate_limit: z.int().min(1, 'must be at least 1').max(1_000_000, 'must be at most 1000000').optional(),
});

/** The record for operators. */
export const toOrganization = ({
  _id,
  name,
  slug,
  currency,
  rate_limit,
  created_at,
  suspended_at,
  erase_at,
  erased_at,
}: OrganizationState) => ({
  id: _id,
  name,
  slug,
  currency,
  rate_limit,
  created_at: created_at.toISOString(),
  suspended_at: suspended_at?.toISOString() ?? null,
  erase_at: erase_at?.toISOString() ?? null,
  erased_at: erased_at?.toISOString() ?? null,
});

const organizationOf = createProjection(DatedOrganization, computedFields);

/** True if clients get a monthly report of their sites. */
export const sendsReports = ({ client_reports = true }: OrganizationState): boolean => client_reports;

/** The record for members. */
export const toOwnOrganization = (organization: OrganizationState) => ({
  ...organizationOf({
    ...organization,
    ...choicesOf(organization),
    contact_email: organization.contact_email ?? null,
    client_reports: sendsReports(organization),
    language: organization.language ?? null,
  }),
  logo_url: logoUrl(organization),
});

/** What an agency chooses for its people; nothing of it before it does. */
export const choicesOf = ({ client_tools = false, require_second_factor = false }: Partial<OrganizationState>) => ({
  client_tools,
  require_second_factor,
});

/** Relative to the platform's public URL. The hash in the URL makes the content immutable. */
const logoUrl = ({ logo_sha256 }: OrganizationState) => (logo_sha256 === null ? null : `/logos/${logo_sha256}`);

/** The brand that clients see. */
export const toBrand = (organization: OrganizationState) => ({
  name: organization.name,
  sender_name: organization.mail_sender_name ?? organization.name,
  logo_url: logoUrl(organization),
  accent_color: organization.accent_color,
  contact_email: organization.contact_email ?? null,
});

const changeable = [
  'name',
  'logo_sha256',
  'accent_color',
  'mail_sender_name',
  'contact_email',
  'client_tools',
  'require_second_factor',
  'client_reports',
  'language',
] as const satisfies readonly (keyof OrganizationState)[];
type OrganizationFields = Pick<OrganizationState, (typeof changeable)[number]>;

/** The fields that a member may change; a null logo removes it. */
export interface OrganizationPatch extends Omit<OrganizationFields, 'logo_sha256'> {
  logo: Uint8Array | null;
}
export type OrganizationChange = Partial<OrganizationFields & LogoContent & Pick<OrganizationState, AgentField>>;
/** The fields that say what agents may do. */
export const agentFields = ['agents_enabled', 'disabled_tools', 'agents_can_build', 'agents_should_ask', 'ask_first_tools'] as const;
export type AgentField = (typeof agentFields)[number];

/** The image, which only `logoBySha256` reads. It is written as bytes and read as MongoDB's Binary. */
export interface LogoContent {
  logo_content: Uint8Array | { readonly buffer: Uint8Array } | null;
}

/** The changed fields; null if nothing changes. */
export function changeOrganization(current: OrganizationState, { logo, ...wanted }: Partial<OrganizationPatch>): OrganizationChange | null {
  const before = { ...current, ...choicesOf(current) };
  if (logo === undefined) return changedFields(before, wanted, changeable);
  const logo_sha256 = logo && createHash('sha256').update(logo).digest('hex');
  const change = changedFields(before, { ...wanted, logo_sha256 }, changeable);
  return change?.logo_sha256 === undefined ? change : { ...change, logo_content: logo };
}

export const openOrganization = (draft: OrganizationDraft, now: Date): OrganizationState => ({
  language: null,
  ...draft,
  currency: defaultCurrency,
  logo_sha256: null,
  accent_color: null,
  mail_sender_name: null,
  contact_email: null,
  client_tools: false,
  require_second_factor: false,
  client_reports: true,
  owners_changed: 0,
  currency_revision: 0,
  created_at: now,
});

/** Candidate slugs for a name: the plain one first, then numbered ones in case it is taken. */
export function slugsOf(name: string): string[] {
  const slug = hyphenated(name, maxSlugLength) || 'organization';
  const numbered = Array.from({ length: maxSlugCandidates - 1 }, (_, at) => {
    const suffix = `-${at + 2}`;
    return hyphenated(slug, maxSlugLength - suffix.length) + suffix;
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
