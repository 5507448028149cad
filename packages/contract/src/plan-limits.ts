import * as z from 'zod';

/** The limits of a plan, by the fields of `Plan` that hold them. */
export const planLimits = ['max_sites', 'max_ai_messages_daily', 'can_export_code', 'can_use_custom_domain'] as const;
export type PlanLimit = (typeof planLimits)[number];

export const RefusedByPlan = z
  .object({
    limit: z.enum(planLimits).describe('The field of `Plan`'),
    allowed: z.int().describe('0 for what the plan does not include'),
    used: z.int().nullable().describe('Null for what is not counted'),
    plan: z.object({ id: z.string(), name: z.string() }).nullable().describe('The cheapest active plan that allows more; null: none does'),
  })
  .describe("The limit of the client's plan that refused the request");
export type RefusedByPlan = z.infer<typeof RefusedByPlan>;
