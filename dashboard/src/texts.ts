/** Every English text of the dashboard, grouped by where it appears. A page loads the groups that it shows. */
export * as texts from './texts/all.ts';
