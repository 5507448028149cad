import { AppError } from '@webkiln/contract';
import { consume, consumerOf, listen } from '@webkiln/events';
import { type Events, type QuotaName, quotas } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import { platformLimits, type QuotaSettings, settingOf } from './settings.ts';
import { type Standing, storedStanding, storeStanding } from './standing-store.ts';

/** How long a read copy is used. Changes are pushed; this heals a push that was missed. */
const maxAgeMs = 5_000;
/** An organization about which no operator has decided anything. */
const ordinary: Standing = { version: 0, suspended_at: null, limits: {} };

/** The services that keep quotas. */
type Service = 'identity' | 'clients-plans' | 'projects-templates' | 'webhooks';

interface Known {
  readonly standing: Standing;
  readonly readAt: number;
}

const recent = new LRUCache<string, Known>({ max: 50_000 });
let settings: QuotaSettings = platformLimits;

/**
 * Keeps a copy of what operators decide about organizations in the service's own database, and pushes each change to
 * every replica. `limits` are the service's settings of the quotas that it keeps.
 */
export function startStandings(service: Service, limits: Partial<QuotaSettings> = {}): void {
  settings = { ...platformLimits, ...limits };
  listen('internal.organization.changed', ({ data }) => void remember(data.organization_id, standingIn(data)));
  consume({
    ...consumerOf(`${service}-standings`),
    atLeastOnceHandler: ({ data }) => storeStanding({ org_id: data.organization_id }, standingIn(data)),
  });
}

const standingIn = ({ revision, suspended_at, limits }: Events['internal.organization.changed']): Standing => ({
  version: revision,
  suspended_at: suspended_at === null ? null : new Date(suspended_at),
  limits,
});

/** Of two standings the later one counts: a read may have begun before a push arrived. */
function remember(org_id: string, standing: Standing): Standing {
  const known = recent.get(org_id)?.standing ?? ordinary;
  const latest = standing.version < known.version ? known : standing;
  recent.set(org_id, { standing: latest, readAt: performance.now() });
  return latest;
}

/** The organization's standing, at most 1 s behind the operator; a known one serves while the database is away. */
async function standingOf(org_id: string): Promise<Standing> {
  const known = recent.get(org_id);
  if (known !== undefined && performance.now() - known.readAt < maxAgeMs) return known.standing;
  try {
    return remember(org_id, (await storedStanding(org_id)) ?? ordinary);
  } catch (error) {
    if (known === undefined) throw error;
    logger.warn({ err: error, org_id }, 'standing of an organization not read; the last known one is used');
    return known.standing;
  }
}

/** The organization's limit: its own if an operator has set one, else the platform's. */
export const limitOf = async (org_id: string, name: QuotaName): Promise<number> =>
  (await standingOf(org_id)).limits[name] ?? settingOf(settings, name);

const number = new Intl.NumberFormat('en');

/** The refusal of one more than `limit`. */
export const quotaExceeded = (name: QuotaName, limit: number, used: number): AppError =>
  new AppError('quota_exceeded', [
    {
      path: name,
      message: `your organization may have ${number.format(limit)} ${quotas[name].unit} and has ${number.format(used)}; use less, or ask the operator of this platform for more`,
    },
  ]);
