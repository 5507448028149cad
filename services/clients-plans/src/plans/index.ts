import { createPlan } from './create-plan.ts';
import { getPlan } from './get-plan.ts';
import { listPlans } from './list-plans.ts';
import { updatePlan } from './update-plan.ts';

export const planUseCases = [listPlans, createPlan, getPlan, updatePlan];
