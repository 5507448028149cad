/** Every text of the dashboard, grouped by where it appears. A page loads the areas that it shows. */
export * as texts from './texts/all.ts';
