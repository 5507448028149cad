import * as z from 'zod';
import { Timestamp, Uuid } from '../fields/fields.ts';

/** As `payment.received` carries it; no operation shows orders yet. */
export const Order = z
  .object({
    id: Uuid,
    client_id: Uuid,
    plan_id: Uuid,
    amount: z.number().describe('In major units of `currency`'),
    currency: z.string().describe('ISO 4217'),
    status: z.string(),
    provider: z.string(),
    provider_ref: z.string().nullable(),
    invoice_url: z.string().nullable(),
    period_start: Timestamp,
    period_end: Timestamp,
    paid_at: Timestamp,
    created_at: Timestamp,
  })
  .meta({ id: 'Order', description: 'A charge of a client for a plan' });
export type Order = z.infer<typeof Order>;
