import { limitOf, type Quota } from '@webkiln/standing';
import type { Tenant } from '@webkiln/store';
import { consumeQuota, usedOf } from './quota-store.ts';

const dayMs = 24 * 3600_000;

/** The quota `form_submissions` of an organization, counted by UTC day. Spam cannot use it up: it is counted apart. */
const countOf = ({ org_id }: Tenant, spam: boolean) => ({ key: `${org_id} ${spam ? 'spam' : 'kept'}`, windowMs: dayMs });

/**
 * Counts one submission; false if the organization has none left today. It is counted before it is stored: a process
 * that dies between the two has counted one too many, and never stored one.
 */
export const consumeDailyQuota = async (tenant: Tenant, { spam }: { spam: boolean }, now: Date): Promise<boolean> =>
  consumeQuota(tenant, { ...countOf(tenant, spam), max: await limitOf(tenant.org_id, 'form_submissions') }, now);

/** The organization's use of `form_submissions` today. */
export const usedFormSubmissions = (tenant: Tenant, now: Date): Promise<number> => usedOf(tenant, countOf(tenant, false), now);

export const submissionQuota: Quota = {
  name: 'form_submissions',
  used: (org_id) => usedFormSubmissions({ org_id }, new Date()),
};

/** Seconds until the quotas of a new day. */
export const secondsToMidnight = (now: Date): number => Math.ceil((dayMs - (now.getTime() % dayMs)) / 1000);
