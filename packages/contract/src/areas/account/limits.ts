import * as z from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { largeCount } from '../../wire/wire.ts';

export const Limit = z
  .object({
    name: z.string().describe('As a refusal with `quota_exceeded` names it: `projects`'),
    unit: z.string().describe('What is counted, in words that follow the number: `projects`, `requests a minute`'),
    limit: largeCount().describe('The most that the organization may have or do, in `unit`'),
    used: largeCount()
      .nullable()
      .describe(
        'Null for `events` and `requests`, of which only the last minute counts, and while the part of the platform that counts does not answer',
      ),
  })
  .meta({ id: 'Limit', description: 'How much of something an organization may have or do, and how much it has or did' });
export type Limit = z.infer<typeof Limit>;

export const getLimits = defineOperation({
  method: 'GET',
  path: '/account/limits',
  tag: 'Organization',
  summary: "Read the organization's limits, and how much of each is used",
  description:
    'What goes beyond a limit is refused with 403 `quota_exceeded`, and beyond `requests` with 429. The operator of the platform can change the limits.',
  permission: 'read',
  area: 'usage',
  rpc: 'accounts.GetLimits',
  output: z.object({ limits: z.array(Limit).describe('One row for each limit, always in the same order') }),
  success: 200,
  etag: false,
  errors: [],
});
