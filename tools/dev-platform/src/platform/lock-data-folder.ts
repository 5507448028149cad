import path from 'node:path';
import { runsInFolder } from '../processes/orphans.ts';
import { releaseLock, takeLock } from './lock-file.mjs';
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
  process.chdir(dataFolder);
  for (let owner = takeLock(file); owner !== undefined; owner = takeLock(file)) {
    if (await runsInFolder(owner, dataFolder)) throw new AlreadyRunning(messageFor(dataFolder, owner));
    releaseLock(file);
  }
  return () => releaseLock(file);
}

function messageFor(dataFolder: string, pid: number): string {
  const address = readRun(dataFolder)?.origin;
  return `Webkiln runs already in ${dataFolder}${address === undefined ? '' : ` at ${address}`} (process ${pid}).`;
}
