import { AppError, type ErrorCode } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import type { AgentSwitches } from './agent-switches.ts';
import { boundTo, type PreparedTool } from './agent-tool.ts';
import { textBlock } from './tool-result.ts';

/** The share of a message's time that a tool gets: the rest is to tell the agent that it took too long. */
export const toolShare = 0.9;

/** The request that a tool is called in. */
interface CallContext {
  /** Undefined if the request has no credential. */
  readonly caller: Caller | undefined;
  /** The only project of the connection, if its address names one. */
  readonly projectId?: string | undefined;
  /** Set to the error that the result tells the agent, for the request log. */
  error?: AppError;
}

/** The JSON of the tool's result, which may be an error that the agent reads. */
export async function callTool(tool: PreparedTool, given: unknown, context: CallContext, switches: AgentSwitches): Promise<string> {
  const { caller, projectId } = context;
  try {
    if (caller === undefined) throw new AppError('missing_credential');
    const isChecked = switches.assertAllowed(caller, tool.name);
    if (isChecked !== undefined) await isChecked;
    return await tool.run(projectId === undefined ? given : boundTo(projectId, given), caller);
  } catch (error) {
    const shown = error instanceof AppError ? error : new AppError('internal', [], { cause: error });
    if (shown.code === 'internal') logger.error({ err: error, tool: tool.name, request_id: caller?.requestId }, 'tool failed');
    context.error = shown;
    return errorJson(shown);
  }
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
  key_restricted: 'Tell the user that this connection is for the websites of one client alone.',
  project_restricted: 'Tell the user that this connection is limited to one project.',
  insufficient_scope: 'Tell the user which scope is missing: connecting this agent again asks for it.',
  edited_meanwhile: 'Somebody changed it meanwhile: read it again, and repeat the call with the etag of now.',
  file_not_found: 'Find the path of the file with list_files.',
  deploy_not_found: 'Find the id of a deploy with get_deploys.',
  domain_not_found: 'Find the id of the domain with list_domains.',
  webhook_not_found: 'Find the id of the webhook with list_webhooks.',
  tool_session_not_found:
    'This connection has changed nothing of which it is known, or not in this session; a person sees all on the page "Agents".',
  undo_running: 'Wait a few seconds and call it again: it tells what became of each change.',
  plan_not_found: 'Find the id of a plan with list_plans.',
  person_required: 'Tell the user: API keys may not do this; connect with OAuth, or the user does it in the dashboard.',
  approval_needed: 'Tell your user what you want to change, and where they allow it. Do not try another tool instead.',
  approval_refused: 'Tell your user that it was refused. Do not try another tool instead.',
  turn_running: 'The builder works on this project already: read how far it is with get_build.',
  no_credit: 'Tell the user that the credits of the agency do not suffice; repeating the call does not help.',
  role_missing: 'Tell the user that their role does not allow it.',
  quota_exceeded: 'Tell the user; repeating the call does not help.',
  idempotency_key_reused: 'Use a new idempotency_key for a call with other arguments.',
  request_in_flight: repeatSafely,
  unavailable: repeatSafely,
  overloaded: repeatSafely,
  internal: repeatSafely,
};

/** The JSON of an error that the agent reads: the code, what is wrong, and how to go on. */
function errorJson(error: AppError): string {
  const next =
    nextSteps[error.code] ?? (error.status >= 500 ? repeatSafely : 'Read the error, and tell the user if you cannot correct it.');
  return `{"isError":true,"content":[${textBlock(`${error.code}: ${error.message} ${next}`)}]}`;
}
