export type Level = 'info' | 'warn' | 'error';

/** Tells the person at the terminal what happens to a part or a process. */
export type Report = (name: string, text: string, level?: Level) => void;

/** Reports the beginning of `work` and how long it took. */
export async function reportDuration<T>(report: Report, name: string, text: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  report(name, `${text} …`);
  const result = await work();
  report(name, `done in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return result;
}
