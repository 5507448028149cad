const atOnce = 32;

/** Does `work` for 0 to count - 1, some at a time, and keeps the order of what it gives. */
export async function spread<T>(count: number, work: (turn: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let turn = next++; turn < count; turn = next++) results[turn] = await work(turn);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
