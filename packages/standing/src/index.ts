export { limitOf, quotaExceeded, startStandings } from './standings.ts';
export { insertWithinQuota } from './within-quota.ts';
