export type Level = 'info' | 'warn' | 'error';

/** Shows the person at the terminal an event of the dependency or process `name`. */
export type Report = (name: string, text: string, level?: Level) => void;

/** Reports the start of `work`, and after it how long it took. */
export async function reportDuration<T>(report: Report, name: string, text: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  report(name, `${text} …`);
  const result = await work();
  report(name, `done in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return result;
}
