interface Quota {
  /** The limit of an organization, unless an operator sets its own limit. The setting of the name changes it. */
  readonly limit: number;
  /** The words after the number, in sentences and documents. */
  readonly unit: string;
  /** The limit is a number of bytes, which people read and write in KB, MB and GB. */
  readonly inBytes?: true;
}

const kb = 1024;
const mb = 1024 * kb;
const gb = 1024 * mb;

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
  embed_sessions: { limit: 10_000, unit: 'live embed sessions' },
  build_links: { limit: 200, unit: 'build links' },
  domains: { limit: 100, unit: 'custom domains' },
  members: { limit: 50, unit: 'members' },
  stored_bytes: { limit: 5 * gb, unit: 'bytes of files', inBytes: true },
  form_submissions: { limit: 10_000, unit: 'form submissions a day' },
  mails: { limit: 200, unit: 'mails a day' },
  events: { limit: 3_000, unit: 'events a minute' },
  requests: { limit: 3_000, unit: 'requests a minute' },
} as const satisfies Readonly<Record<string, Quota>>;

/** The part of a quota that all clients who joined by a build link share. The organization itself has all of it. */
export const joinedShareOf = (limit: number): number => Math.floor(limit / 10);

export type QuotaName = keyof typeof quotas;
export const quotaNames = Object.keys(quotas) as QuotaName[];

/** The setting that holds the limit of organizations without their own: `QUOTA_PROJECTS`. */
export type QuotaSetting<Q extends QuotaName = QuotaName> = `QUOTA_${Uppercase<Q>}`;
export const quotaSetting = <Q extends QuotaName>(name: Q) => `QUOTA_${name.toUpperCase()}` as QuotaSetting<Q>;

/** The platform's limits as the settings give them. */
export type QuotaSettings<Q extends QuotaName = QuotaName> = Readonly<Record<QuotaSetting<Q>, number>>;

export const settingOf = <Q extends QuotaName>(settings: QuotaSettings<Q>, name: Q): number => settings[quotaSetting(name)];

/** The limits of a platform without settings. */
export const platformLimits = Object.fromEntries(quotaNames.map((name) => [quotaSetting(name), quotas[name].limit])) as QuotaSettings;

/** The largest limit that an operator can set. */
export const maxQuota = 1_000_000_000_000;

/** The limits that an operator has set for an organization. */
export type QuotaLimits = Readonly<Partial<Record<QuotaName, number>>>;

const rows: Readonly<Record<string, Quota>> = quotas;

/** True if the limit of the quota is a number of bytes; false also for names of no quota. */
export const isInBytes = (name: string): boolean => rows[name]?.inBytes === true;

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** A number of bytes as people read it, in units of 1,024: `4.99 GB`. */
export function bytesText(bytes: number): string {
  if (bytes >= gb) return `${number.format(bytes / gb)} GB`;
  if (bytes >= mb) return `${number.format(bytes / mb)} MB`;
  if (bytes >= kb) return `${number.format(bytes / kb)} KB`;
  return `${number.format(bytes)} bytes`;
}

/** How many messages a day a client without a plan may send to the builder. */
export const dailyMessagesWithoutPlan = 5;
