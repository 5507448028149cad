/** Rejects with `refusal()` if `work` takes longer than `ms`. The work itself goes on: it cannot be cancelled. */
export async function within<T>(
  ms: number,
  work: Promise<T> | T,
  refusal: () => Error = () => new Error(`no answer within ${ms} ms`),
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(refusal()), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
