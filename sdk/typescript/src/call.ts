/** What a call resolves to, and the response that it came in. */
export interface Answer<T> {
  readonly data: T;
  readonly response: Response;
}

/** A promise of an answer's data. `withResponse()` has the response beside it: its status, ETag and other headers. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call';
  readonly #answer: Promise<Answer<T>>;

  constructor(answer: Promise<Answer<T>>) {
    this.#answer = answer;
  }

  withResponse(): Promise<Answer<T>> {
    return this.#answer;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<R = T, E = never>(
    onData?: ((data: T) => R | PromiseLike<R>) | null,
    onError?: ((error: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    return this.#answer.then(({ data }) => data).then(onData, onError);
  }

  catch<E = never>(onError?: ((error: unknown) => E | PromiseLike<E>) | null): Promise<T | E> {
    return this.then(null, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.then().finally(onEnd);
  }
}

/** One page of a list. Iterating over it goes on through all later pages. */
export class Page<T> implements AsyncIterable<T> {
  readonly items: readonly T[];
  /** How many records the whole list has: exact up to 1,000. */
  readonly total: number | undefined;
  readonly hasNext: boolean;
  readonly #next: () => Promise<Page<T> | undefined>;

  /** `next` gets the page after this one; undefined for the last. */
  constructor(items: readonly T[], total: number | undefined, next?: () => Promise<Page<T>>) {
    this.items = items;
    this.total = total;
    this.hasNext = next !== undefined;
    this.#next = next ?? (async () => undefined);
  }

  /** The page after this one; undefined after the last. */
  next(): Promise<Page<T> | undefined> {
    return this.#next();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let page: Page<T> | undefined = this; page !== undefined; page = await page.next()) yield* page.items;
  }
}

/** A promise of the first page of a list; `for await` goes through the records of all pages. */
export class PageCall<T> extends Call<Page<T>> implements AsyncIterable<T> {
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* await this;
  }
}
