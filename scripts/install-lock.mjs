import { releaseLock, takeLock } from '../tools/dev-platform/src/platform/lock-file.mjs';

const pollIntervalMs = 200;

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs `work` while no other process holds the file `lock`; the lock of a process that died is taken over. */
export function whileLocked(lock, work) {
  for (let owner = takeLock(lock); owner !== undefined; owner = takeLock(lock)) {
    if (alive(owner)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollIntervalMs);
    else releaseLock(lock);
  }
  try {
    work();
  } finally {
    releaseLock(lock);
  }
}
