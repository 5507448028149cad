import { useSearchParams } from 'react-router';
import { type FilterName, filterNames, type VisitsQuery } from './analytics-query.ts';

export const allSites = 'all';
export const customRange = 'custom';
const defaultDays = '30';
const dayMs = 24 * 3600_000;

const dayBefore = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

/** What the page shows, as its address says, so that it can be sent to somebody. */
export function useVisitsFilter() {
  const [search, setSearch] = useSearchParams();
  const days = search.get('days') ?? defaultDays;
  const site = search.get('project') ?? allSites;
  const range = { from: search.get('from') ?? dayBefore(6), to: search.get('to') ?? dayBefore(0) };
  const filters = filterNames.flatMap((name) => {
    const value = search.get(name);
    return value === null ? [] : [{ name, value }];
  });
  const query: VisitsQuery = {
    ...(days === customRange ? range : { days: Number(days) || Number(defaultDays) }),
    ...(site === allSites ? {} : { project_id: site }),
    ...Object.fromEntries(filters.map(({ name, value }) => [name, value])),
  };
  const change = (values: Readonly<Record<string, string | null>>) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(values)) {
          if (value === null) after.delete(name);
          else after.set(name, value);
        }
        return after;
      },
      { replace: true },
    );
  return {
    ...{ days, site, range, filters, query },
    setDays: (value: string) => change({ days: value, ...(value === customRange ? range : { from: null, to: null }) }),
    setDay: (name: 'from' | 'to', value: string) => change({ [name]: value === '' ? null : value }),
    setSite: (value: string) => change({ project: value }),
    setFilter: (name: FilterName, value: string | null) => change({ [name]: value }),
    clearFilters: () => change(Object.fromEntries(filterNames.map((name) => [name, null]))),
  };
}
