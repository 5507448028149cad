import * as z from 'zod';
import { allToolNames } from '../../agents/more-tools.ts';
import { Flag, oneOf } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

const AgentTool = oneOf(allToolNames).meta({ id: 'AgentToolName', description: 'A tool that agents call over MCP' });
const disabledTools = z
  .array(AgentTool, { error: 'must be a list of names of tools' })
  .max(allToolNames.length, `must have at most ${allToolNames.length} names`);

export const AgentAccess = z
  .object({
    is_enabled: z.boolean().describe('False: agents may do nothing'),
    disabled_tools: disabledTools.describe('The tools that agents neither see nor may call'),
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
  })
  .meta({ id: 'AgentAccess', description: 'What agents may do in the organization, whatever their credentials' });
export type AgentAccess = z.infer<typeof AgentAccess>;
/** What decides whether an agent may do something at all. */
export type AgentOpening = Omit<AgentAccess, 'should_ask_first'>;

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
  summary: 'Switch agents or tools off or on, or let agents build and publish, effective within two seconds',
  description: 'For owners; the audit log says who did it and when. Connections and keys stay: what is switched on again works as before.',
  permission: 'write',
  roles: ['owner'],
  rpc: 'accounts.UpdateAgentAccess',
  input: z
    .strictObject({
      is_enabled: Flag.describe('False: agents may do nothing in the organization'),
      disabled_tools: disabledTools.describe('All tools that are off, in place of those that were; an empty list switches every tool on'),
      can_build: Flag.describe(
        'True: agents may build and publish, by the tools that their address asks for. False for a new organization',
      ),
      should_ask_first: Flag.describe(
        'True, as for a new organization: an agent that builds asks a person before it changes anything within 15 minutes after it has read what others wrote',
      ),
    })
    .partial(),
  output: z.object({ agent_access: AgentAccess }),
});
