import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';

export type Analytics = Schemas['Analytics'];
export type Visits = Schemas['Visits'];

const refreshMs = 30_000;
const realtimeMs = 10_000;

/** Analytics of the last `days` including today, for all published sites or one project. */
export const analyticsQuery = (query: { days: number; project_id?: string }) =>
  queryOptions({
    queryKey: ['analytics', query],
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
    queryFn: () => readJson(api.GET('/analytics', { params: { query } })).then(({ analytics }) => analytics),
  });

/** By what a view is filtered, in the order of the page. */
export const filterNames = ['page', 'referrer', 'source', 'medium', 'campaign', 'country', 'browser', 'system', 'device'] as const;
export type FilterName = (typeof filterNames)[number];

export interface VisitsQuery extends Partial<Record<FilterName, string>> {
  readonly project_id?: string;
  readonly days?: number;
  readonly from?: string;
  readonly to?: string;
}

export const visitsQuery = (query: VisitsQuery) =>
  queryOptions({
    queryKey: ['visits', query],
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
    queryFn: () => readJson(api.GET('/analytics/visits', { params: { query } })).then(({ visits }) => visits),
  });

/** Visitors of the last five minutes; undefined while unknown. */
export const realtimeQuery = (query: { project_id?: string }) =>
  queryOptions({
    queryKey: ['realtime', query],
    refetchInterval: realtimeMs,
    queryFn: () =>
      readJson(api.GET('/analytics', { params: { query: { ...query, days: 1, include: 'realtime' } } })).then(
        ({ analytics }) => analytics.realtime?.visitors,
      ),
  });
