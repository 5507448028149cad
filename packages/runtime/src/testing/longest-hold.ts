/**
 * The longest time for which the event loop was held while `work` ran, in ms of CPU of its thread: what other processes
 * of the machine do counts as little as time in which the loop had nothing to do.
 */
export async function longestHoldMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let last = process.threadCpuUsage();
  const tick = () => {
    const { user, system } = process.threadCpuUsage();
    longest = Math.max(longest, user + system - last.user - last.system);
    last = { user, system };
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    await work();
    await new Promise(setImmediate);
  } finally {
    isOver = true;
  }
  return longest / 1000;
}
