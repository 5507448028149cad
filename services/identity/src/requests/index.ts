import { getUsage } from './get-usage.ts';
import { listRequests } from './list-requests.ts';

export const requestUseCases = [getUsage, listRequests];
