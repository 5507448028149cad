import * as z from 'zod';

/** The limits of a plan, by the fields of `Plan` that hold them. */
export const planLimits = ['max_sites', 'max_ai_messages_daily', 'can_export_code', 'can_use_custom_domain'] as const;
export type PlanLimit = (typeof planLimits)[number];

export const PlanLimitName = z.enum(planLimits).meta({ id: 'PlanLimit', description: 'What a plan limits: a field of `Plan`' });

export const RefusedByPlan = z
  .object({
    limit: PlanLimitName,
    allowed: z.int().describe('The most that the plan allows; 0 for what it does not include'),
    used: z.int().nullable().describe('What the client has of it; null for what is not counted'),
    plan: z
      .object({
        id: z.string().describe('What `plan_id` of a client takes'),
        name: z.string().describe('As clients see it'),
      })
      .meta({ id: 'OfferedPlan', description: 'A plan that allows more' })
      .nullable()
      .describe('The cheapest active plan that allows more; null: none does'),
  })
  .meta({ id: 'RefusedByPlan', description: "The limit of the client's plan that refused the request" });
export type RefusedByPlan = z.infer<typeof RefusedByPlan>;
