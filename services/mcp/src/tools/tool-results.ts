import { AppError, type ErrorCode } from '@webkiln/contract';

type Values = Readonly<Record<string, unknown>>;

/**
 * JSON of ids and addresses has about two bytes a token. A result has its JSON twice, as structure and as text: so it
 * stays below 20,000 tokens.
 */
const maxJsonBytes = 20_000;

export const isTooLarge = (json: string): boolean => Buffer.byteLength(json) > maxJsonBytes;

export const tooLarge = (fields: readonly string[]) =>
  new AppError('validation_failed', [{ path: fields.join(', '), message: 'the result would be too long: ask for less' }]);

const textBlock = (text: string): string => `{"type":"text","text":${JSON.stringify(text)}}`;

/** The JSON of a result with the structure `json`, which is repeated as text after `sentence`. */
export function successJson(json: string, sentence?: string): string {
  const before = sentence === undefined ? '' : `${textBlock(sentence)},`;
  return `{"content":[${before}${textBlock(json)}],"structuredContent":${json}}`;
}

/** The summary of a write, by the sentence `done` of its tool: `{project.id}` in it is that field of the result. */
export function sentenceOf(done: string, result: Values, replayed: boolean): string {
  const repeated = replayed ? 'An earlier call with this idempotency_key did this; nothing was done again. ' : '';
  const filled = done.replaceAll(/\{([\w.]+)\}/g, (_, path: string) =>
    String(path.split('.').reduce<unknown>((inner, name) => (inner as Values | undefined)?.[name], result)),
  );
  return `${repeated}${filled}`;
}

const repeatSafely = 'Wait a few seconds and repeat the call; with the same idempotency_key it takes effect once.';

/** Advice to an agent about an error, beyond its message. */
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

/** The JSON of an error that the agent reads: the code, what is wrong, and how to go on. */
export function errorJson(error: AppError): string {
  const next =
    nextSteps[error.code] ?? (error.status >= 500 ? repeatSafely : 'Read the error, and tell the user if you cannot correct it.');
  return `{"isError":true,"content":[${textBlock(`${error.code}: ${error.message} ${next}`)}]}`;
}
