export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** The UTC day of a time, "2026-03-01"; `plus` days later. */
export const dayOf = (ms: number, plus = 0): string => new Date(ms + plus * dayMs).toISOString().slice(0, 10);

/** When a day begins, in milliseconds since 1970. */
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);
