import { texts } from '../texts.ts';

interface Envelope {
  readonly error?: string;
  readonly code?: string;
  readonly request_id?: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

/** What the API said in place of an answer. `status` is 0 where nothing came back. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** What to correct, by the field's name, be it in an item of a list; the first thing said of each. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, { error, code, request_id, details = [] }: Envelope) {
    super(error ?? texts.problem.unknown);
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.requestId = request_id;
    this.fields = Object.fromEntries(details.map(({ path, message }) => [path.replace(/\..*/, ''), message]).reverse());
  }

  /** Whatever was thrown, as a person can be told of it. */
  static of(error: unknown): Problem {
    if (error instanceof Problem) return error;
    return new Problem(0, { error: error instanceof TypeError ? texts.problem.unreachable : texts.problem.unknown });
  }
}
