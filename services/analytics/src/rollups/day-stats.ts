import type { Ranking } from './ranking.ts';

/** The statistics of one UTC day, of a site or of an organization. */
export interface DayStats {
  /** "2026-03-01" */
  day: string;
  views: number;
  bots: number;
  uniques: number;
  pages: Ranking;
  referrers: Ranking;
  devices: Ranking;
}

/** The fields of `DayStats`, as a projection. */
export const dayStatsFields = ['day', 'views', 'bots', 'uniques', 'pages', 'referrers', 'devices'] as const satisfies (keyof DayStats)[];
