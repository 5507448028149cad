interface Quota {
  /** What an organization may have or do, unless an operator sets its own limit. The setting of the name changes it. */
  readonly limit: number;
  /** The words after the number, in sentences and documents. */
  readonly unit: string;
}

/**
 * One row per quota of an organization. The settings (`QUOTA_PROJECTS`), the names of `webkiln limits set`, the
 * refusals and the dashboard's list derive from it.
 */
export const quotas = {
  projects: { limit: 10_000, unit: 'projects' },
  clients: { limit: 10_000, unit: 'clients' },
  keys: { limit: 50, unit: 'API keys' },
  webhooks: { limit: 50, unit: 'webhooks' },
  embed_clients: { limit: 20, unit: 'embed clients' },
  members: { limit: 50, unit: 'members' },
  requests: { limit: 3_000, unit: 'requests a minute' },
} as const satisfies Readonly<Record<string, Quota>>;

export type QuotaName = keyof typeof quotas;
export const quotaNames = Object.keys(quotas) as QuotaName[];

/** The setting that holds the limit of organizations without their own: `QUOTA_PROJECTS`. */
export type QuotaSetting<Q extends QuotaName = QuotaName> = `QUOTA_${Uppercase<Q>}`;
export const quotaSetting = <Q extends QuotaName>(name: Q) => `QUOTA_${name.toUpperCase()}` as QuotaSetting<Q>;

/** The largest limit that an operator can set. */
export const maxQuota = 1_000_000_000_000;

/** The limits that an operator has set for an organization. */
export type QuotaLimits = Readonly<Partial<Record<QuotaName, number>>>;
