import * as z from 'zod';
import { clamped, filter, idFilter, patternFilter } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { hints } from '../http/parameter-warnings.ts';
import { clientsToo } from '../http/roles.ts';
import { largeCount, wire } from '../wire/wire.ts';

const counts = {
  views: largeCount().describe('Pages that were shown to visitors, without known bots'),
  visitors: largeCount().describe('Visitors of each day and site, added up: who comes on two days counts twice'),
};

const NamedVisits = z
  .object({ name: z.string().describe('What they have in common, such as the path of a page or a country'), ...counts })
  .meta({ id: 'NamedVisits', description: 'Views that have a name in common, and the visitors whose first view of a day and site has it' });
const list = (what: string) => z.array(NamedVisits).describe(`${what}; the 10 with most visitors`);

export const Visits = z
  .object({
    from: z.iso.date().describe('The first day of the figures, in UTC'),
    to: z.iso.date().describe('The last day of the figures, in UTC'),
    ...counts,
    previous: z
      .object({
        from: z.iso.date().describe('The first day of the time before'),
        to: z.iso.date().describe('The last day of the time before'),
        ...counts,
      })
      .meta({
        id: 'PreviousVisits',
        description: 'As many days before; of yesterday only the hours that have begun today, if `to` and `from` are today',
      }),
    days: z
      .array(
        z
          .object({ date: z.iso.date().describe('The day in UTC, such as 2026-03-01'), ...counts })
          .meta({ id: 'DayVisits', description: 'A UTC day' }),
      )
      .describe('A row for each day, oldest first'),
    hours: z
      .array(
        z
          .object({ hour: z.int().describe('The hour in UTC, 0 to 23'), ...counts })
          .meta({ id: 'HourVisits', description: 'An hour of a UTC day, 0 to 23' }),
      )
      .describe('Of a single day without a filter, else empty'),
    pages: z.array(NamedVisits).describe('The 10 that were viewed most'),
    entry_pages: list('Pages on which visitors began'),
    referrers: list('Hosts that led here; `direct`: none did'),
    sources: list('`utm_source`'),
    mediums: list('`utm_medium`'),
    campaigns: list('`utm_campaign`'),
    countries: list('ISO 3166-1, two letters'),
    browsers: list('Browsers'),
    systems: list('Operating systems'),
    devices: list('desktop, mobile, tablet, other'),
    unknown: largeCount().describe(
      'Views of which a filter cannot tell: of days counted by an earlier release, and beyond 500 combinations a day',
    ),
  })
  .meta({ id: 'Visits', description: 'Views and visitors, and what they have in common' })
  .register(wire, { message: 'Visits' });
export type Visits = z.infer<typeof Visits>;

const day = () =>
  z
    .string()
    .optional()
    .register(hints, { of: (text) => (z.iso.date().safeParse(text).success ? undefined : 'takes a day such as 2026-03-01') });
const only = (what: string) => z.string().optional().describe(`Only views ${what}`);

export const getVisits = defineOperation({
  method: 'GET',
  path: '/analytics/visits',
  tag: 'Analytics',
  summary: 'Read visits with what they have in common, compared with the time before: of one project, or of all',
  description:
    'Filters apply together, and to all figures. A view is in them within 10 seconds. Days are those of UTC. As `text/csv` the answer is a row for each day.',
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'analytics.GetVisits',
  input: z.object({
    project_id: idFilter().describe('Only this project'),
    days: clamped('How many days to look back, `to` included; ignored beside `from`', 30, 1, 365),
    from: day().describe('The first day, at most 366 days with `to`; a malformed one is ignored'),
    to: day().describe('The last day, by default today; a malformed one is ignored'),
    page: patternFilter(/^\//, 'a path such as /about').describe('Only views of this page; visitors are those who began on it'),
    referrer: only('from this host; `direct` for none'),
    source: only('with this `utm_source`'),
    medium: only('with this `utm_medium`'),
    campaign: only('with this `utm_campaign`'),
    country: patternFilter(/^[A-Z]{2}$/, 'two letters such as DE').describe('Only views from this country'),
    browser: only('by this browser'),
    system: only('on this operating system'),
    device: filter('desktop', 'mobile', 'tablet', 'other').describe('Only views on this kind of device'),
  }),
  output: z.object({ visits: Visits }),
  csv: {
    filename: 'visits.csv',
    columns: ['date', 'views', 'visitors'],
    rows: ({ visits: { days } }: { readonly visits: Pick<Visits, 'days'> }) => days.map((each) => [each.date, each.views, each.visitors]),
  },
  success: 200,
  etag: false,
  errors: ['project_not_found'],
});
