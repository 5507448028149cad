import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runsInFolder } from '../processes/orphans.ts';
import { readRun } from './run-file.ts';

/** A platform already runs in this data folder. The message has its address and process id. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

/**
 * Locks the data folder for this process and makes it the working folder. Throws `AlreadyRunning` while another process
 * has it. The lock of a dead process is ignored. Returns a function that unlocks it.
 */
export async function lockDataFolder(dataFolder: string): Promise<() => void> {
  const file = path.join(dataFolder, 'supervisor.pid');
  const own = `${file}.${process.pid}`;
  process.chdir(dataFolder);
  writeFileSync(own, String(process.pid));
  try {
    while (!tryLink(own, file)) {
      const owner = Number(readFileSync(file, 'utf8'));
      if (await runsInFolder(owner, dataFolder)) throw new AlreadyRunning(messageFor(dataFolder, owner));
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(own);
  }
  return () => rmSync(file, { force: true });
}

function messageFor(dataFolder: string, pid: number): string {
  const address = readRun(dataFolder)?.origin;
  return `Webkiln runs already in ${dataFolder}${address === undefined ? '' : ` at ${address}`} (process ${pid}).`;
}

/** Creates the lock file if it is free. A link appears with its content in one step. */
function tryLink(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
