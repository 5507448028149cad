export { startErasure } from './erasure.ts';
export { maintenanceUseCases } from './maintenance.ts';
export { placedQuota, type Quota } from './quota.ts';
export {
  copyStandings,
  eventsPerMinute,
  hearStandings,
  isSuspended,
  isSuspendedInStore,
  limitOf,
  quotaExceeded,
  type Suspension,
  startStandings,
  suspensionOf,
} from './standings.ts';
