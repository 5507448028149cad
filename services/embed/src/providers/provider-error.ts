import { APICallError, StreamProviderError } from 'ai';

/** The words that providers use for each kind of error, and the status that such an error has as an answer. */
const kinds: readonly (readonly [words: RegExp, status: number])[] = [
  [/insufficient_quota|insufficient.?(?:balance|credit)|credit balance|billing|payment.?required|\b402\b/i, 402],
  [/context.?(?:length|window)|maximum context|too many (?:input )?tokens|reduce the length|prompt is too long/i, 400],
  [/content.?(?:filter|policy|management)|responsible.?ai|data_inspection|moderation|safety/i, 400],
  [/rate.?limit|too many requests|throttl|resource.?exhausted|quota|\b429\b/i, 429],
  [/authentication|unauthori[sz]ed|permission|forbidden|(?:invalid|incorrect|expired).{0,10}api.?key|access.?denied|\b40[13]\b/i, 401],
  [/overloaded|unavailable|at capacity|model.?not.?ready|\b(?:502|503|504|529)\b/i, 503],
  [/(?:model|deployment).{0,80}(?:not.?found|does not exist)|not_found|\b404\b/i, 404],
  [/invalid.?request|validation|bad.?request|\b400\b/i, 400],
];

/** Google refuses a key with the status of a malformed request. */
const keyRefused = /API_KEY_INVALID|api key not valid/i;
const maxCharacters = 4_000;

/**
 * An error of a provider by its kind: one inside its stream as the answer with the status that the kind stands for.
 * Errors of a kind that nobody knows stay as they are: the stream broke off.
 */
export function providerError(error: unknown): unknown {
  if (APICallError.isInstance(error) && error.statusCode === 400 && keyRefused.test(error.responseBody ?? ''))
    return callError(401, 'API_KEY_INVALID');
  if (!StreamProviderError.isInstance(error)) return error;
  const responseBody = `${error.message} ${JSON.stringify(error.data)}`.slice(0, maxCharacters);
  const status = kinds.find(([words]) => words.test(responseBody))?.[1];
  return status === undefined ? error : callError(status, responseBody);
}

function callError(statusCode: number, responseBody: string): APICallError {
  return new APICallError({
    message: 'the provider sent an error inside its stream',
    url: '',
    requestBodyValues: {},
    statusCode,
    responseBody,
  });
}
