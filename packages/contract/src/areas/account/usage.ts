import * as z from 'zod';
import { clamped, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { largeCount } from '../../wire/wire.ts';

const figures = {
  requests: largeCount(),
  client_errors: largeCount().describe('Answered with a status of 400 to 499'),
  server_errors: largeCount().describe('Answered with a status of 500 or more'),
};

export const KeyUsage = z
  .object({
    key_id: Uuid.nullable().describe('Null: whoever was signed in'),
    name: z.string().nullable(),
    prefix: z.string().nullable().describe('Its first 8 characters'),
    ...figures,
    last_used_on: z.iso.date(),
  })
  .meta({ id: 'KeyUsage', description: 'How often a key was used' });
export type KeyUsage = z.infer<typeof KeyUsage>;

export const UsageDay = z.object({ date: z.iso.date(), ...figures }).meta({ id: 'UsageDay' });

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
  tag: 'Account',
  summary: 'Read how much the API was used, by key and by day',
  description:
    'Days are those of UTC; today is the last one. A request is counted a few seconds after it was answered. For owners, admins and developers.',
  permission: 'read',
  credential: 'session',
  roles: ['owner', 'admin', 'developer'],
  rpc: 'accounts.GetUsage',
  input: z.object({ days: clamped(30, 1, 365).describe('How many days to look back, today included') }),
  output: z.object({ usage: Usage }),
  success: 200,
  etag: false,
  errors: [],
});
