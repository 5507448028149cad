const interrupted = new AbortController();
for (const end of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(end, () => interrupted.abort());

/** Aborts when the user or the system ends the program. */
export const interruption = interrupted.signal;
