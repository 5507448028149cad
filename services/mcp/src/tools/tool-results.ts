import type { CallToolResult } from '@modelcontextprotocol/server';
import { AppError, type ErrorCode } from '@webkiln/contract';

type Values = Readonly<Record<string, unknown>>;

/**
 * JSON of ids and addresses has about two bytes a token. A result has its JSON twice, as structure and as text: so it
 * stays below 20,000 tokens.
 */
const maxJsonBytes = 20_000;

export const isTooLarge = (result: Values): boolean => Buffer.byteLength(JSON.stringify(result)) > maxJsonBytes;

export const tooLarge = (fields: readonly string[]) =>
  new AppError('validation_failed', [{ path: fields.join(', '), message: 'the result would be too long: ask for less' }]);

/** A result as structure and as text. Of a write, a sentence before it says what it changed. */
export function successResult(
  result: Values,
  { done, replayed = false }: { done?: string | undefined; replayed?: boolean } = {},
): CallToolResult {
  const text = { type: 'text', text: JSON.stringify(result) } as const;
  if (done === undefined) return { content: [text], structuredContent: result };
  const repeated = replayed ? 'An earlier call with this idempotency_key did this; nothing was done again. ' : '';
  return { content: [{ type: 'text', text: `${repeated}${filled(done, result)}` }, text], structuredContent: result };
}

/** `{project.id}` in a sentence is that field of the result. */
const filled = (sentence: string, result: Values) =>
  sentence.replaceAll(/\{([\w.]+)\}/g, (_, path: string) =>
    String(path.split('.').reduce<unknown>((inner, name) => (inner as Values | undefined)?.[name], result)),
  );

const repeatSafely = 'Wait a few seconds and repeat the call; with the same idempotency_key it takes effect once.';

/** What an agent does about an error, beyond what its message says. */
const nextSteps: { readonly [Code in ErrorCode]?: string } = {
  validation_failed: 'Correct these arguments and call the tool again.',
  client_not_found: 'Find the client with list_clients, or invite it with create_client.',
  client_not_active:
    'The person must follow the link in the invitation mail first. See with list_clients whether the status is active, then repeat the call.',
  email_taken: 'Find the client with list_clients and use it.',
  plan_unknown: 'Find the id of a plan with list_plans, or leave plan_id out.',
  plan_limit_reached: 'Tell the user; another client, or another plan for this one, is their decision.',
  project_not_found: 'Find the id of a project with list_projects.',
  template_not_found: 'Find the id of a template with list_templates, or leave template_id out.',
  permission_missing: 'Tell the user that this connection may not do it; its key needs another permission.',
  role_missing: 'Tell the user that their role does not allow it.',
  quota_exceeded: 'Tell the user; repeating the call does not help.',
  idempotency_key_reused: 'Use a new idempotency_key for a call with other arguments.',
  request_in_flight: repeatSafely,
  unavailable: repeatSafely,
  overloaded: repeatSafely,
  internal: repeatSafely,
};

/** An error as a result that the agent reads: the code, what is wrong, and how to go on. */
export function errorResult(error: AppError): CallToolResult {
  const next =
    nextSteps[error.code] ?? (error.status >= 500 ? repeatSafely : 'Read the error, and tell the user if you cannot correct it.');
  return { isError: true, content: [{ type: 'text', text: `${error.code}: ${error.message} ${next}` }] };
}
