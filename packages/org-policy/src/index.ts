export { startErasure } from './erasure.ts';
export { maintenanceUseCases } from './maintenance.ts';
export {
  copyOrgPolicies,
  eventsPerMinute,
  hearOrgPolicies,
  isSuspended,
  isSuspendedInStore,
  joinedShareExceeded,
  limitOf,
  placedQuota,
  placedShare,
  type Quota,
  quotaExceeded,
  type Suspension,
  suspensionOf,
  watchOrgPolicies,
} from './org-policies.ts';
export { namingPlans, PlanLimitReached, planUse } from './plan-limits.ts';
