import { type AgentAccess, type AuditAction, validate } from '@webkiln/contract';
import {
  auditEvent,
  type Caller,
  Change,
  maxQuota,
  type QuotaLimits,
  type QuotaName,
  type QuotaSettings,
  quotaNames,
  type RaisedEvent,
  settingOf,
} from '@webkiln/messages';
import * as z from 'zod';
import { type AgentField, choicesOf, type OrganizationState } from './organization.ts';

export type OrgPolicyChange = Pick<OrganizationState, 'suspended_at' | 'limits' | 'erase_at'>;
type Organization = Pick<OrganizationState, '_id' | 'name' | 'suspended_at' | 'limits' | 'created_at'>;

/** How long an organization is new. */
const newForMs = 72 * 3600_000;

const LimitChange = z.object({
  name: z.enum(quotaNames, { error: `must be one of ${quotaNames.join(', ')}` }),
  limit: z.int().min(0, 'must be at least 0').max(maxQuota, `must be at most ${maxQuota}`).optional(),
});

/** The facts about an organization by which the gateway admits a request. */
export interface OrganizationAdmission {
  readonly rate_limit: number | null;
  readonly suspended: boolean;
  /** Requests a minute over all credentials; absent: the platform's limit. */
  readonly requests_limit: number | undefined;
  readonly agent_access: AgentAccess;
  readonly client_tools: boolean;
  readonly require_second_factor: boolean;
}

export const admissionOf = (organization: Partial<OrganizationState>): OrganizationAdmission => ({
  rate_limit: organization.rate_limit ?? null,
  suspended: (organization.suspended_at ?? null) !== null,
  requests_limit: organization.limits?.requests,
  agent_access: toAgentAccess(organization),
  ...choicesOf(organization),
});

/** Organizations of before there were agents have none of the fields: agents may use the ten tools there. */
export const toAgentAccess = ({
  agents_enabled = true,
  disabled_tools = [],
  agents_can_build = false,
  agents_should_ask = true,
  ask_first_tools = [],
}: Pick<OrganizationState, AgentField>): AgentAccess => ({
  is_enabled: agents_enabled,
  disabled_tools: [...disabled_tools],
  can_build: agents_can_build,
  should_ask_first: agents_should_ask,
  ask_first_tools: [...ask_first_tools],
});

export const orgPolicyEvent = ({ _id, suspended_at, limits, revision }: Organization & { revision: number }): RaisedEvent => ({
  type: 'internal.organization.changed',
  data: { organization_id: _id, revision, suspended_at: suspended_at?.toISOString() ?? null, limits: limits ?? {} },
});

/** The organization's record belongs to no organization, so the event names the log. */
export function audited(caller: Caller, action: AuditAction, { _id, name }: Pick<Organization, '_id' | 'name'>, what = name): RaisedEvent {
  const event = auditEvent(caller, action, { kind: 'organization', id: _id, name: what });
  return { ...event, data: { ...event.data, org_ids: [_id] } } as RaisedEvent;
}

/** Null if it is suspended already. */
export function suspend(caller: Caller, current: Organization, now: Date): Change<OrgPolicyChange> | null {
  if (current.suspended_at) return null;
  return new Change({ suspended_at: now }, [audited(caller, 'organization.suspended', current)]);
}

/** Null if it is not suspended. */
export function resume(caller: Caller, current: Organization): Change<OrgPolicyChange> | null {
  if (!current.suspended_at) return null;
  return new Change({ suspended_at: null }, [audited(caller, 'organization.resumed', current)]);
}

/** Changes nothing but the audit log. */
export const exported = (caller: Caller, current: Organization): Change<OrgPolicyChange> =>
  new Change({}, [audited(caller, 'organization.exported', current)]);

/** Sets the organization's own limit; without one, the platform's applies again. */
export function changeLimit(caller: Caller, current: Organization, request: unknown): Change<OrgPolicyChange> {
  const { name, limit } = validate(LimitChange, request);
  const { [name]: _before, ...rest } = current.limits ?? {};
  const limits: QuotaLimits = limit === undefined ? rest : { ...rest, [name]: limit };
  return new Change({ limits }, [audited(caller, 'limit.changed', current, `${name}: ${limit ?? "the platform's"}`)]);
}

/** The limits of all organizations. */
export type OrgPolicySettings = QuotaSettings & {
  /** The limit of `mails` for new organizations: nobody has seen yet what they send. */
  readonly QUOTA_MAILS_NEW: number;
};

/** The platform's limit for this organization. */
const platformLimit = (organization: Pick<Organization, 'created_at'>, name: QuotaName, settings: OrgPolicySettings, now: Date): number =>
  name === 'mails' && now.getTime() - organization.created_at.getTime() < newForMs ? settings.QUOTA_MAILS_NEW : settingOf(settings, name);

/** The limit that applies. */
export const limitOf = (
  organization: Pick<Organization, 'created_at' | 'limits'>,
  name: QuotaName,
  settings: OrgPolicySettings,
  now: Date,
): number => organization.limits?.[name] ?? platformLimit(organization, name, settings, now);

/** Every quota with the limit that applies. */
export const toLimits = (organization: Organization, settings: OrgPolicySettings, now = new Date()) =>
  quotaNames.map((name) => ({
    name,
    limit: limitOf(organization, name, settings, now),
    default: platformLimit(organization, name, settings, now),
    overridden: organization.limits?.[name] !== undefined,
  }));
