import type { Ranking } from './ranking.ts';

/** What was visited on one UTC day: of a site, or of all sites of an organization. */
export interface DayFigures {
  /** "2026-03-01" */
  day: string;
  views: number;
  bots: number;
  uniques: number;
  /** Most first, as the others. */
  pages: Ranking;
  referrers: Ranking;
  devices: Ranking;
}

/** The fields, for queries that bring no others. */
export const dayFigures = ['day', 'views', 'bots', 'uniques', 'pages', 'referrers', 'devices'] as const satisfies (keyof DayFigures)[];
