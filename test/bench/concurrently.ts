const concurrency = 32;

/** Runs `work` for 0 to count - 1 with bounded concurrency. Results keep their order. */
export async function runConcurrently<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}
