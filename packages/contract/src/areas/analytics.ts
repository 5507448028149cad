import * as z from 'zod';
import { agentTexts } from '../agents/agent-texts.ts';
import { clamped, idFilter, patternFilter } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { clientsToo } from '../http/roles.ts';
import { largeCount, wire } from '../wire/wire.ts';

const views = largeCount();

const DeviceViews = z
  .object({
    device: z
      .string()
      .describe('The kind of device: `desktop`, `mobile`, `tablet` or `other`')
      .register(agentTexts, { text: 'desktop, mobile, tablet, other' }),
    views: views.describe('Views on it in these days'),
  })
  .meta({ id: 'DeviceViews', description: 'Views on one kind of device' })
  .register(wire, { message: 'DeviceViews' });
/** A day's visitors are a column of the CSV alone. */
const DailyViews = z
  .object({ date: z.iso.date().describe('The day in UTC, such as 2026-03-01'), views: views.describe('Views on that day') })
  .meta({ id: 'DailyViews', description: 'The views of one UTC day' })
  .register(wire, { message: 'DailyViews', extra: { uniqueVisitors: largeCount() } });

export const Analytics = z
  .object({
    totalViews: views.describe('Pages that were shown to visitors in these days, without known bots'),
    uniqueVisitors: largeCount()
      .describe('The sum of the visitors of each day and site: who comes on two days counts twice')
      .register(agentTexts, { text: 'The sum of the visitors of each day and site' }),
    topPages: z
      .array(
        z
          .object({
            path: z.string().describe('The path of the page, without its query'),
            views: views.describe('Views of it in these days'),
          })
          .meta({ id: 'PageViews', description: 'The views of one page' })
          .register(wire, { message: 'PageViews' }),
      )
      .describe('The 10 that were viewed most')
      .register(agentTexts, { asDescribed: true }),
    topReferrers: z
      .array(
        z
          .object({
            referrer: z.string().describe('The host that led here; `direct`: none did'),
            views: views.describe('Views that began with it in these days'),
          })
          .meta({ id: 'ReferrerViews', description: 'The views that one host led to' })
          .register(wire, { message: 'ReferrerViews' }),
      )
      .describe('The 10 hosts that led here most; `direct`: none did')
      .register(agentTexts, { asDescribed: true }),
    dailyViews: z.array(DailyViews).describe('A row for each UTC day, oldest first').register(agentTexts, { asDescribed: true }),
    deviceBreakdown: z.array(DeviceViews).describe('The views by kind of device, the most first'),
    bots: largeCount()
      .optional()
      .describe('Views by known bots, which are in no other figure; with `include=bots`')
      .register(agentTexts, { asDescribed: true }),
    realtime: z
      .object({
        visitors: largeCount().describe('Visitors of the last 5 minutes').register(agentTexts, { text: 'Of the last 5 minutes' }),
        views: largeCount().describe('Views of the last 30 minutes').register(agentTexts, { text: 'Of the last 30 minutes' }),
      })
      .register(wire, { message: 'Realtime' })
      .optional()
      .meta({ id: 'Realtime', description: 'What is visited now; with `include=realtime`' })
      .register(agentTexts, { text: 'With `include=realtime`' }),
  })
  .meta({ id: 'Analytics', description: 'What was visited' })
  .register(wire, { message: 'AnalyticsFigures' })
  .register(agentTexts, { asDescribed: true });
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
    days: clamped('How many days to look back, today included', 30, 1, 365),
    project_id: idFilter().describe('Only this project, from GET /projects; without it all published sites of the organization'),
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
