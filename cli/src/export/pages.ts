const pageSize = 100;

interface Page<R> {
  readonly records: readonly R[];
  /** Empty or absent on the last page. */
  readonly next?: string | undefined;
}

/** Every record of a list, a page at a time. */
export async function* everyRecord<R>(
  read: (page: { limit: number; offset: number; cursor?: string | undefined }) => Promise<Page<R>>,
): AsyncGenerator<R> {
  let cursor: string | undefined;
  do {
    const { records, next } = await read({ limit: pageSize, offset: 0, cursor });
    yield* records;
    cursor = next;
  } while (cursor);
}

/** Records as a JSON array with one record a line. Counts them with `onRecord`. */
export async function* asJson(records: AsyncIterable<unknown>, onRecord: () => void): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const record of records) {
    yield separator + JSON.stringify(record);
    separator = ',\n';
    onRecord();
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}
