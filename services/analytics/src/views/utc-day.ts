export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** Returns the UTC day of a time, "2026-03-01", or the day `plus` days later. */
export const toUtcDay = (ms: number, plus = 0): string => new Date(ms + plus * dayMs).toISOString().slice(0, 10);

/** Returns the start of a day, in milliseconds since 1970. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);
