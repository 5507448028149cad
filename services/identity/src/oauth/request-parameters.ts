import { scope } from './resources.ts';

/** The parameters that this server reads; a request may carry anything else, which is ignored (RFC 6749 §3.1). */
const known = new Set([
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'prompt',
]);

/** Of the prompts only these change an answer; others ask for what happens anyway or what there is not. */
const knownPrompts = new Set(['none', 'consent']);

/**
 * The query of an authorization request as the library gets it. Its scope is always the one there is: unknown scopes
 * are dropped, and none asks for the default (RFC 6749 §3.3). Repeated parameters stay, to be refused.
 */
export function authorizationQuery(query: string): string {
  const kept = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(query)) {
    const text = name === 'prompt' ? knownOf(value) : value;
    if (known.has(name) && (name !== 'prompt' || text !== '')) kept.append(name, text);
  }
  kept.append('scope', scope);
  return `?${kept}`;
}

const knownOf = (prompts: string) =>
  prompts
    .split(' ')
    .filter((prompt) => knownPrompts.has(prompt))
    .join(' ');

/** The body of a request for tokens: the scope of a token cannot be narrowed, as there is only one. */
export function tokenBody(body: string): string {
  const parameters = new URLSearchParams(body);
  parameters.delete('scope');
  return parameters.toString();
}
