import { database } from '../connection.ts';
import type { Report } from './migration.ts';

const intervalMs = 5_000;

interface Build {
  readonly ns?: string;
  readonly msg?: string;
  readonly progress?: { readonly done: number; readonly total: number };
}

/** Reports how far MongoDB's index builds are, every few seconds, until the returned function is called. */
export function reportIndexBuilds(report: Report): () => void {
  const timer = setInterval(() => void reportOnce(report), intervalMs);
  return () => clearInterval(timer);
}

async function reportOnce(report: Report): Promise<void> {
  const inThis = new RegExp(`^${database().databaseName}\\.`);
  try {
    const builds = database()
      .admin()
      .command({ currentOp: 1, msg: /^Index Build/, ns: inThis, maxTimeMS: intervalMs });
    for (const { ns, msg, progress } of ((await builds) as { inprog: Build[] }).inprog)
      report(`building an index of ${ns}: ${msg}${progress === undefined ? '' : `, ${progress.done} of ${progress.total}`}`);
  } catch {
    // A user of MongoDB without the right to see operations gets no figures.
    report('still building indexes');
  }
}
