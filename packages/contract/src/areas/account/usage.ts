import * as z from 'zod';
import { clamped, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { largeCount } from '../../wire/wire.ts';

const figures = {
  requests: largeCount().describe('Requests that were answered, whatever the status'),
  client_errors: largeCount().describe('Answered with a status of 400 to 499'),
  server_errors: largeCount().describe('Answered with a status of 500 or more'),
};

export const KeyUsage = z
  .object({
    key_id: Uuid.nullable().describe('Null: whoever was signed in'),
    name: z.string().nullable().describe('What the key is called; null for sessions, and for a key that is not known any more'),
    prefix: z.string().nullable().describe('The first 8 characters of its text; null for sessions'),
    ...figures,
    last_used_on: z.iso.date().describe('The last UTC day of these on which it was used'),
  })
  .meta({ id: 'KeyUsage', description: 'How often a key was used' });
export type KeyUsage = z.infer<typeof KeyUsage>;

export const UsageDay = z
  .object({ date: z.iso.date().describe('The UTC day'), ...figures })
  .meta({ id: 'UsageDay', description: 'The requests of one UTC day' });

export const Usage = z
  .object({
    ...figures,
    keys: z.array(KeyUsage).describe('Those that were used, the busiest first'),
    days: z.array(UsageDay).describe('A row for each UTC day, oldest first'),
  })
  .meta({ id: 'Usage', description: 'Requests by key and day' });
export type Usage = z.infer<typeof Usage>;

export const getUsage = defineOperation({
  method: 'GET',
  path: '/account/usage',
  tag: 'Organization',
  summary: 'Read how much the API was used, by key and by day',
  description:
    'Days are those of UTC; today is the last one. A request is counted a few seconds after it was answered. For owners, admins and developers.',
  permission: 'read',
  area: 'usage',
  roles: ['owner', 'admin', 'developer'],
  rpc: 'accounts.GetUsage',
  input: z.object({ days: clamped('How many days to look back, today included', 30, 1, 365) }),
  output: z.object({ usage: Usage }),
  success: 200,
  etag: false,
  errors: [],
});
