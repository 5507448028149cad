import { maxQuota, type QuotaName, type QuotaSetting, quotaSetting, quotas } from '@webkiln/messages';
import { wholeNumber } from '@webkiln/runtime';
import type * as z from 'zod';

/** For processes without a database, such as the gateway. */

/** The settings that hold the platform's limits; a process names the quotas that it applies. */
export const quotaConfig = <Q extends QuotaName>(names: readonly Q[]) =>
  Object.fromEntries(
    names.map((name) => {
      const { limit, unit } = quotas[name];
      return [quotaSetting(name), wholeNumber(0, maxQuota).default(limit).describe(`How many ${unit} an organization may have`)];
    }),
  ) as { [S in QuotaSetting<Q>]: z.ZodDefault<z.ZodCoercedNumber> };
