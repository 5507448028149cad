import { existsSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';

const maxBytes = 20_000_000;

/**
 * Opens the log `<folder>/<name>.log` for appending and returns its file descriptor. A large log is first renamed to
 * `<name>.old.log`, replacing the previous one.
 */
export function openLog(folder: string, name: string): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${name}.log`);
  if (existsSync(file) && statSync(file).size > maxBytes) renameSync(file, path.join(folder, `${name}.old.log`));
  return openSync(file, 'a');
}
