import { AppError } from '@webkiln/contract';
import { type Caller, Change, dataServiceNames, type RaisedEvent, type ServiceName } from '@webkiln/messages';
import { audited, type OrgPolicyChange } from './org-policy.ts';
import type { ErasureRound, OrganizationState } from './organization.ts';

type Organization = Pick<OrganizationState, '_id' | 'name' | 'suspended_at' | 'erase_at' | 'erasure_round' | 'erased_at'>;
type ErasureChange = Change<Partial<OrganizationState>, RaisedEvent>;

/** A service that has not reported by then is asked again: its message may have become a dead letter. */
const repeatAfterMs = 3600_000;

const hasBegun = ({ erasure_round, erased_at }: Organization): boolean => Boolean(erasure_round ?? erased_at);

const refused = (message: string) => new AppError('validation_failed', [{ path: 'organization', message }]);

/** Suspends the organization, to be erased at a time. Null if it is to be erased by then already. */
export function orderErasure(caller: Caller, current: Organization, eraseAt: Date, now: Date): Change<OrgPolicyChange> | null {
  if (hasBegun(current) || (current.erase_at && current.erase_at <= eraseAt)) return null;
  const state = { suspended_at: current.suspended_at ?? now, erase_at: eraseAt };
  return new Change(state, [audited(caller, 'organization.deleted', current, `${current.name}: erased from ${eraseAt.toISOString()}`)]);
}

/** Null if it is not to be erased. Throws `validation_failed` once the erasure has begun. */
export function takeBackErasure(caller: Caller, current: Organization): Change<OrgPolicyChange> | null {
  if (hasBegun(current)) throw refused('its erasure has begun and cannot be taken back');
  if (!current.erase_at) return null;
  return new Change({ suspended_at: null, erase_at: null }, [audited(caller, 'organization.restored', current)]);
}

/** Throws `validation_failed` if the organization is to be erased: resumed, it would be erased while it works. */
export function assertNotDeleted(current: Organization): void {
  if (hasBegun(current)) throw refused('it is erased');
  if (current.erase_at) throw refused(`it is to be erased from ${current.erase_at.toISOString()}; restore it instead`);
}

/**
 * The next step of an erasure that is due; null while services are at work, and for `quietMs` after the first round
 * that all have reported. Since then they refuse new records, and by its end no write is under way. So the erasure ends
 * with a round after it that has found nothing.
 */
export function nextStep({ _id, erasure_round }: Organization, now: Date, quietMs: number): ErasureChange | null {
  if (!erasure_round) return inRound(_id, { number: 1, begun_at: now, deleted: {} });
  const { number, begun_at, closed_at, deleted } = erasure_round;
  const reports = Object.values(deleted);
  const isReported = reports.length === dataServiceNames.length;
  if (!isReported && now.getTime() - begun_at.getTime() < repeatAfterMs) return null;
  const isClean = isReported && reports.every((count) => count === 0);
  const isQuiet = (at: Date) => closed_at !== undefined && at.getTime() - closed_at.getTime() >= quietMs;
  if (isClean && isQuiet(begun_at)) return new Change(erased(_id, now), []);
  if (isClean && closed_at !== undefined && !isQuiet(now)) return null;
  return inRound(_id, { number: number + 1, begun_at: now, closed_at: closed_at ?? (isReported ? now : undefined), deleted: {} });
}

const inRound = (_id: string, erasure_round: ErasureRound): ErasureChange =>
  new Change({ erasure_round }, [{ type: 'internal.organization.erased', data: { organization_id: _id, round: erasure_round.number } }]);

/** The round with a service's report; null if it is not the current one, or has it already. */
export function withReport(
  { erasure_round }: Organization,
  round: number,
  service: ServiceName,
  deleted: number,
): Pick<OrganizationState, 'erasure_round'> | null {
  if (erasure_round?.number !== round || erasure_round.deleted[service] !== undefined) return null;
  return { erasure_round: { ...erasure_round, deleted: { ...erasure_round.deleted, [service]: deleted } } };
}

/** The state that is kept: the id and the dates. The slug becomes free, since no slug is as long as an id. */
const erased = (id: string, now: Date): Partial<OrganizationState> => ({
  name: 'erased',
  slug: id,
  logo_sha256: null,
  accent_color: null,
  mail_sender_name: null,
  contact_email: null,
  rate_limit: null,
  limits: {},
  erase_at: null,
  erasure_round: null,
  erased_at: now,
});
