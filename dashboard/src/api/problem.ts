import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';

interface Envelope {
  readonly error?: string;
  readonly code?: string;
  readonly request_id?: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

const unreachable = 'unreachable';
type Sentences = Readonly<Record<string, string | undefined>>;
/** Texts by code, which load with the first error: the first page has none. */
let sentences: Sentences = {};
const loadSentences = async (): Promise<Sentences> => (await import('../texts/problems.ts')).problems;

/** Our text for the error's code, else the API's, which tells programs what to do. */
function sentenceOf({ error, code = '', details = [] }: Envelope): string {
  if (code === 'unavailable' || code === 'overloaded') return texts.problem.away;
  // What the API says in detail is in English.
  const own = details.length > 0 && language === 'en' ? undefined : sentences[code];
  return own ?? error ?? texts.problem.unknown;
}

/** While a part hangs, its requests have all turns of the organization. */
export const crowded = 'too_many_in_flight';
const outageStatuses: readonly number[] = [502, 503, 504];

/** An error response of the API. `status` is 0 if no response arrived. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** How long the API asks to wait before a repeat; 0 if it does not say. */
  readonly retryAfterMs: number;
  /** The first message for each field, by its top-level name. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, { error, code, request_id, details = [] }: Envelope, retryAfterMs = 0) {
    super(sentenceOf({ error, code, details }));
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.requestId = request_id;
    this.retryAfterMs = retryAfterMs;
    this.fields = Object.fromEntries(details.map(({ path, message }) => [path.replace(/\..*/, ''), message]).reverse());
  }

  /** The error that the API answered with, in the language of the page. */
  static async answered(status: number, envelope: Envelope): Promise<Problem> {
    sentences = await loadSentences().catch(() => sentences);
    return new Problem(status, envelope);
  }

  /** The error with another message, shown at one field. */
  static at(field: string, message: string, error: unknown): Problem {
    const { status, code } = Problem.of(error);
    return new Problem(status, { error: message, ...(code !== undefined && { code }), details: [{ path: field, message }] });
  }

  /** Turns anything thrown into a `Problem` with a readable message. */
  static of(error: unknown): Problem {
    if (error instanceof Problem) return error;
    // What `fetch` throws if no response arrives.
    if (error instanceof TypeError) return new Problem(0, { error: texts.problem.unreachable, code: unreachable });
    return new Problem(0, {});
  }
}

/** True if an operator has suspended the organization, which refuses all of its requests. */
export const isSuspension = (error: unknown): boolean => Problem.of(error).code === 'organization_suspended';

/** True if the platform, or a part of it, is away or crowded: the same request succeeds later. */
export function isOutage(error: unknown): boolean {
  const { status, code } = Problem.of(error);
  return code === unreachable || code === crowded || outageStatuses.includes(status);
}

/** True if no record has the id. */
export const isMissing = (error: unknown): boolean => Problem.of(error).status === 404;
