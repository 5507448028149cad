/** Runs `work` for 0 to count - 1, as many at once as `concurrency` says. Results keep their order. */
export async function runConcurrently<T>(count: number, work: (index: number) => Promise<T>, concurrency = 32): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}
