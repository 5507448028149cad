import * as z from 'zod';
import { CreatedAt, Deleted, Name, RecordId, Timestamp, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

export const Agent = z
  .object({
    id: RecordId,
    client_name: z.string().describe('What the agent calls itself; nobody has checked it'),
    redirect_host: z.string().describe('Where its access went, such as `claude.ai`'),
    organization_id: Uuid.describe('The organization that it acts in'),
    organization: Name.describe('The name of that organization'),
    scopes: z
      .array(z.string())
      .describe('What its person allowed, as OAuth calls it: `mcp`, or also `mcp:build`; `mcp:read` alone changes nothing'),
    created_at: CreatedAt,
    last_used_at: Timestamp.nullable().describe('When it called last, ISO 8601 in UTC, exact to a minute; null if it never did'),
  })
  .meta({ id: 'Agent', description: 'A program that a person let act for it in one organization, by OAuth' });

const people = { tag: 'Account', credential: 'session', roles: 'anyone' } as const;

export const listAgents = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/agents',
  summary: 'The agents that act for this account, in all its organizations, newest first',
  description: 'Each is one consent of the person, in one organization. To end one use DELETE /account/agents/{agentId}.',
  permission: 'read',
  rpc: 'accounts.ListAgents',
  output: z.object({ agents: z.array(Agent).describe('The agents, newest first; empty if there are none'), total: Total }),
  success: 200,
  errors: [],
});

export const disconnectAgent = defineOperation({
  ...people,
  method: 'DELETE',
  path: '/account/agents/{agentId}',
  summary: 'Disconnect one of them: its tokens end within a second',
  description: 'The agent has to ask the person again. What it did stays.',
  permission: 'write',
  rpc: 'accounts.DisconnectAgent',
  output: Deleted,
  success: 200,
  etag: false,
  errors: ['agent_not_found'],
});
