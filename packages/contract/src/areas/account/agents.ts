import * as z from 'zod';
import { Name, Timestamp, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

export const Agent = z
  .object({
    id: Uuid,
    client_name: z.string().describe('What the agent calls itself; nobody has checked it'),
    redirect_host: z.string().describe('Where its access went, such as `claude.ai`'),
    organization_id: Uuid,
    organization: Name,
    scopes: z.array(z.string()),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().describe('Exact to a minute'),
  })
  .meta({ id: 'Agent', description: 'A program that a person let act for it in one organization, by OAuth' });

const people = { tag: 'Account', credential: 'session', roles: 'anyone' } as const;

export const listAgents = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/agents',
  summary: 'The agents that act for this account, in all its organizations, newest first',
  permission: 'read',
  rpc: 'accounts.ListAgents',
  output: z.object({ agents: z.array(Agent), total: Total }),
  success: 200,
  errors: [],
});

export const disconnectAgent = defineOperation({
  ...people,
  method: 'DELETE',
  path: '/account/agents/{agentId}',
  summary: 'Disconnect one of them: its tokens end within a second',
  permission: 'write',
  rpc: 'accounts.DisconnectAgent',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  etag: false,
  errors: ['agent_not_found'],
});
