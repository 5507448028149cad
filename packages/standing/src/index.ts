export { isSuspended, limitOf, quotaExceeded, startStandings } from './standings.ts';
