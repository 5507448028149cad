import { existsSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';

const largestBytes = 20_000_000;

/**
 * Opens the log `<folder>/<name>.log` for appending and returns its file descriptor. One that has grown large is put aside first,
 * as `<name>.old.log`, in place of the one before.
 */
export function openLog(folder: string, name: string): number {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.log`);
  if (existsSync(file) && statSync(file).size > largestBytes) renameSync(file, path.join(folder, `${name}.old.log`));
  return openSync(file, 'a');
}
