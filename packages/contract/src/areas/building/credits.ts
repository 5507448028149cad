import * as z from 'zod';
import { CreatedAt, oneOf, Page, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

export const creditEntryKinds = ['granted', 'reserved', 'settled', 'returned'] as const;

const CreditEntryKind = oneOf(creditEntryKinds).meta({
  id: 'CreditEntryKind',
  description:
    'A turn reserves credits before it begins. At its end those that it did not use are given back (`settled`), or all if it failed (`returned`). `granted`: an operator added some',
});

export const CreditEntry = z
  .object({
    id: z.string().describe('Names the line of the ledger'),
    kind: CreditEntryKind,
    amount: z.int().describe('What it adds to the balance; negative if it takes away'),
    balance: z.int().describe('The balance after it'),
    turn_id: Uuid.nullable().describe('The turn that it is for; null for credits that were granted'),
    project_id: Uuid.nullable().describe('The project of that turn; null for credits that were granted'),
    note: z.string().nullable().describe('Why credits were granted, in words; null for other lines'),
    created_at: CreatedAt,
  })
  .meta({ id: 'CreditEntry', description: "A line of the organization's credit ledger. The amounts of all lines add up to the balance" });
export type CreditEntry = z.infer<typeof CreditEntry>;

export const getCredits = defineOperation({
  method: 'GET',
  path: '/account/credits',
  tag: 'Organization',
  summary: "Read the organization's credit balance and its ledger, newest line first",
  description: 'One credit pays for 1,000 tokens of a model, rounded up per turn. Turns of the composer cost nothing.',
  permission: 'read',
  area: 'usage',
  roles: ['owner', 'admin', 'developer'],
  rpc: 'credits.GetCredits',
  input: z.object(Page),
  output: z.object({
    balance: z.int().describe('What further turns may use'),
    reserved: z.int().describe('Held by the turns that are running'),
    entries: z.array(CreditEntry).describe('The lines of this page, newest first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  etag: false,
  errors: [],
});
