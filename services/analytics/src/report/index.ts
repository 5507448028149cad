import { getAnalytics } from './get-analytics.ts';

export const reportUseCases = [getAnalytics];
