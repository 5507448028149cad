import type { UseCase } from '@webkiln/rpc';
import type { Sites } from './change-site.ts';
import { restoreSite } from './restore-site.ts';
import { takeDownSite } from './take-down-site.ts';

export const takeDownUseCases = (sites: Sites): UseCase[] => [takeDownSite(sites), restoreSite(sites)];
