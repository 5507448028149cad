// Plain JavaScript, because the installation of Node 24 and the packages takes such a lock too.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Takes a lock file for this process. Returns undefined, or the id of the process that has it. */
export function takeLock(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    // A link appears together with its content, so no process reads a lock without an owner.
    linkSync(own, file);
    return undefined;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(own);
  }
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return takeLock(file); // it was given back meanwhile
  }
}

export const releaseLock = (file) => rmSync(file, { force: true });
