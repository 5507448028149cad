import * as z from 'zod';
import { clamped, idFilter, patternFilter } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { clientsToo } from '../http/roles.ts';
import { largeCount, wire } from '../wire/wire.ts';

const views = largeCount();

const DeviceViews = z
  .object({ device: z.string().describe('desktop, mobile, tablet, other'), views })
  .register(wire, { message: 'DeviceViews' });
/** A day's visitors are a column of the CSV alone. */
const DailyViews = z
  .object({ date: z.iso.date(), views })
  .register(wire, { message: 'DailyViews', extra: { uniqueVisitors: largeCount() } });

export const Analytics = z
  .object({
    totalViews: views,
    uniqueVisitors: largeCount().describe('The sum of the visitors of each day and site'),
    topPages: z
      .array(z.object({ path: z.string(), views }).register(wire, { message: 'PageViews' }))
      .describe('The 10 that were viewed most'),
    topReferrers: z
      .array(z.object({ referrer: z.string(), views }).register(wire, { message: 'ReferrerViews' }))
      .describe('The 10 hosts that led here most; `direct`: none did'),
    dailyViews: z.array(DailyViews).describe('A row for each UTC day, oldest first'),
    deviceBreakdown: z.array(DeviceViews),
    bots: largeCount().optional().describe('Views by known bots, which are in no other figure; with `include=bots`'),
    realtime: z
      .object({ visitors: largeCount().describe('Of the last 5 minutes'), views: largeCount().describe('Of the last 30 minutes') })
      .register(wire, { message: 'Realtime' })
      .optional()
      .describe('With `include=realtime`'),
  })
  .meta({ id: 'Analytics', description: 'What was visited' })
  .register(wire, { message: 'AnalyticsFigures' });
export type Analytics = z.infer<typeof Analytics>;

/** As the service replies: a day's visitors are for the table alone. */
interface Reply {
  readonly analytics: {
    readonly dailyViews: readonly { readonly date: string; readonly views: number; readonly uniqueVisitors: number }[];
  };
}

export const getAnalytics = defineOperation({
  method: 'GET',
  path: '/analytics',
  tag: 'Analytics',
  summary: "Read what was visited: of one project, or of all the organization's published sites",
  description:
    'A view is in the figures within 10 seconds. Days are those of UTC; today is the last one. As `text/csv` the answer is a row for each day.',
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'analytics.GetAnalytics',
  input: z.object({
    days: clamped(30, 1, 365).describe('How many days to look back, today included'),
    project_id: idFilter().describe('Only this project'),
    include: patternFilter(/^ *(?:bots|realtime)(?: *, *(?:bots|realtime))* *$/, 'bots | realtime').describe(
      'What else to show, with commas between: bots, realtime',
    ),
  }),
  output: z.object({ analytics: Analytics }),
  csv: {
    filename: 'analytics.csv',
    columns: ['date', 'views', 'uniqueVisitors'],
    rows: ({ analytics: { dailyViews } }: Reply) => dailyViews.map((day) => [day.date, day.views, day.uniqueVisitors]),
  },
  success: 200,
  etag: false,
  errors: ['project_not_found'],
});
