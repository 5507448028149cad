import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

function ownerOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return undefined;
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function taken(own, lock) {
  try {
    // A link appears together with its content, so no process reads a lock without an owner.
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Runs `work` while no other process holds the file `lock`; the lock of a process that died is taken over. */
export function whileLocked(lock, work) {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    while (!taken(own, lock)) {
      const owner = ownerOf(lock);
      if (owner !== undefined && !alive(owner)) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
    try {
      work();
    } finally {
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}
