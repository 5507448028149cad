import * as z from 'zod';
import { allToolNames } from '../../agents/more-tools.ts';
import { Flag, oneOf, RecordId, Timestamp, Total } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { sessionRoles } from '../../http/roles.ts';

const AgentTool = oneOf(allToolNames).meta({ id: 'AgentToolName', description: 'A tool that agents call over MCP' });
const someTools = z
  .array(AgentTool, { error: 'must be a list of names of tools' })
  .max(allToolNames.length, `must have at most ${allToolNames.length} names`);

export const AgentAccess = z
  .object({
    is_enabled: z.boolean().describe('False: agents may do nothing'),
    disabled_tools: someTools.describe('The tools that agents neither see nor may call'),
    can_build: z
      .boolean()
      .describe(
        'True: agents may also build, publish, connect domains, read forms and manage webhooks, each within what its person allowed',
      ),
    should_ask_first: z
      .boolean()
      .describe(
        'True: an agent that builds asks a person before it changes anything within 15 minutes after it has read what others wrote',
      ),
    ask_first_tools: someTools.describe('The tools about which agents ask a person before each call, at every address'),
  })
  .meta({ id: 'AgentAccess', description: 'What agents may do in the organization, whatever their credentials' });
export type AgentAccess = z.infer<typeof AgentAccess>;
/** What decides whether an agent may do something at all. */
export type AgentOpening = Omit<AgentAccess, 'should_ask_first' | 'ask_first_tools'>;

const access = { path: '/account/agent-access', tag: 'Organization', area: 'organization', success: 200, etag: false, errors: [] } as const;

export const getAgentAccess = defineOperation({
  ...access,
  method: 'GET',
  summary: 'What agents may do in the organization',
  description: 'Applies to all agents of the organization, whether they come with OAuth or with an API key over MCP.',
  permission: 'read',
  rpc: 'accounts.GetAgentAccess',
  output: z.object({ agent_access: AgentAccess }),
});

export const updateAgentAccess = defineOperation({
  ...access,
  method: 'PATCH',
  summary: 'Switch agents or tools off or on, or let agents build, publish or ask first, effective within two seconds',
  description: 'For owners; the audit log says who did it and when. Connections and keys stay: what is switched on again works as before.',
  permission: 'write',
  roles: ['owner'],
  rpc: 'accounts.UpdateAgentAccess',
  input: z
    .strictObject({
      is_enabled: Flag.describe('False: agents may do nothing in the organization'),
      disabled_tools: someTools.describe('All tools that are off, in place of those that were; an empty list switches every tool on'),
      can_build: Flag.describe(
        'True: agents may build and publish, by the tools that their address asks for. False for a new organization',
      ),
      should_ask_first: Flag.describe(
        'True, as for a new organization: an agent that builds asks a person before it changes anything within 15 minutes after it has read what others wrote',
      ),
      ask_first_tools: someTools.describe(
        'All tools about which agents ask before each call, in place of those that were; empty, as for a new organization: about none',
      ),
    })
    .partial(),
  output: z.object({ agent_access: AgentAccess }),
});

const Argument = z
  .object({
    name: z.string().describe('The name of the argument, such as `files`'),
    value: z.string().describe('Its value, cut after 200 characters; of files their paths and sizes'),
  })
  .meta({ id: 'AgentQuestionArgument', description: 'An argument of the call, in short' });

export const AgentQuestion = z
  .object({
    id: RecordId,
    agent: z.string().describe('What the agent or its key is called; nobody has checked it'),
    credential: oneOf(['oauth', 'key']).describe('How it was connected'),
    tool: z.string().describe('The tool that it called, such as `write_files`'),
    project_id: z.string().nullable().describe('The project that it would change; null if it is about none'),
    project: z.string().nullable().describe('The name of that project; null if it is about none, or the agent may not read it'),
    arguments: z.array(Argument).describe('What it would write'),
    read_tool: z
      .string()
      .nullable()
      .describe('What it read before of what others wrote, such as `list_submissions`; null if agents always ask about the tool'),
    asked_at: Timestamp.describe('When it asked, ISO 8601 in UTC'),
    ends_at: Timestamp.describe('Until when the answer counts, ISO 8601 in UTC'),
    state: oneOf(['waiting', 'allowed', 'refused', 'done']).meta({
      id: 'AgentQuestionState',
      description: '`waiting`: nobody answered. `allowed`: the agent may make the call once. `refused`: it may not. `done`: it has made it',
    }),
  })
  .meta({ id: 'AgentQuestion', description: 'A call that an agent may make only if a person allows it' });
export type AgentQuestion = z.infer<typeof AgentQuestion>;

const Decision = oneOf(['once', 'session', 'refuse']).meta({
  id: 'AgentDecision',
  description:
    '`once`: this call with these arguments. `session`: this call, and whatever the agent changes in the next 15 minutes. `refuse`: not this call',
});
export type AgentDecision = z.infer<typeof Decision>;

const forPeople = { tag: 'Account', credential: 'session', roles: sessionRoles } as const;

export const listAgentQuestions = defineOperation({
  ...forPeople,
  method: 'GET',
  path: '/account/agents/questions',
  summary: 'The changes of agents that wait for an answer, newest first',
  description: 'Those of your own agents; owners see those of all agents and keys. At most 100. An unanswered one ends after an hour.',
  permission: 'read',
  rpc: 'accounts.ListAgentQuestions',
  output: z.object({
    questions: z.array(AgentQuestion).describe('The changes that wait, newest first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  errors: [],
});

export const answerAgentQuestion = defineOperation({
  ...forPeople,
  method: 'POST',
  path: '/account/agents/questions/{questionId}/answer',
  summary: 'Allow a change of an agent, or refuse it',
  description:
    'The agent then repeats its call. The call runs with the rights of the agent, not of who answers. The audit log has the answer. A second answer to the same question changes nothing.',
  permission: 'write',
  rpc: 'accounts.AnswerAgentQuestion',
  input: z.strictObject({ decision: Decision }),
  output: z.object({ question: AgentQuestion }),
  success: 200,
  etag: false,
  errors: ['agent_question_not_found'],
});
