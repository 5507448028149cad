/** The time by which clients are charged. Tests of years of renewals set it; nothing else does. */
export const clock = { now: (): Date => new Date() };
