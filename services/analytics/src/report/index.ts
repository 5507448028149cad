import { getAnalytics } from './get-analytics.ts';
import { getVisits } from './get-visits.ts';

export const reportUseCases = [getAnalytics, getVisits];
