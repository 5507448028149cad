import * as z from 'zod';
import { undoReasonCodes } from '../../agents/undo-reasons.ts';
import { CreatedAt, Deleted, Name, oneOf, RecordId, Timestamp, Total, Uuid } from '../../fields/fields.ts';
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
    project_id: Uuid.nullable().describe('The project that it is limited to; null: to none'),
    client_id: Uuid.nullable().describe('The client to whose websites it is limited; null: to none'),
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

/** What became of a change. `pending`: whoever made it ended in between, and nobody knows whether it took effect. */
const ChangeState = oneOf(['pending', 'done', 'undone', 'left']).meta({
  id: 'AgentChangeState',
  description:
    '`done`: it stands. `undone`: it was taken back. `left`: it could not be taken back, `reason` says why. `pending`: the agent was cut off while it made it',
});

const ChangedValue = z
  .object({
    field: z.string().describe('What changed, such as `name`, `draft` or `live`'),
    before: z.string().nullable().describe('What it was, cut after 200 characters; null if there was nothing'),
    after: z.string().nullable().describe('What the agent made of it, cut after 200 characters; null if unknown or nothing'),
  })
  .meta({ id: 'AgentChangedValue', description: 'A value before and after' });

const AgentChange = z
  .object({
    id: RecordId,
    at: Timestamp.describe('When the agent made it, ISO 8601 in UTC'),
    tool: z.string().describe('The tool that it called, such as `write_files`'),
    kind: z.string().describe('What it changed: `project`, `client`, `template`, `plan`, `webhook` or `domain`'),
    record_id: z.string().nullable().describe('The id of that; null if the agent was cut off before it had one'),
    name: z.string().nullable().describe('What it is called; null if unknown'),
    values: z.array(ChangedValue).describe('What changed; empty for what cannot be told'),
    state: ChangeState,
    reason: z.string().nullable().describe('Why it cannot be or was not taken back, in a sentence; null otherwise'),
    reason_code: oneOf(undoReasonCodes)
      .meta({ id: 'AgentChangeReason', description: 'Why a change cannot be or was not taken back; the sentence is in `reason`' })
      .nullable()
      .describe('The same for programs; null if there is no reason'),
    reason_names: z
      .array(z.string())
      .describe('What the reason is about: fields or domains that somebody changed, or the error code of a refusal; else empty'),
  })
  .meta({ id: 'AgentChange', description: 'One change that an agent made' });
export type AgentChange = z.infer<typeof AgentChange>;

export const AgentSession = z
  .object({
    id: RecordId,
    agent: z.string().describe('What the agent or its key is called; nobody has checked it'),
    credential: oneOf(['oauth', 'key']).describe('How it was connected'),
    started_at: Timestamp.describe('When it made its first change, ISO 8601 in UTC'),
    last_at: Timestamp.describe('When it made its last change, ISO 8601 in UTC'),
    changes: z.array(AgentChange).describe('What it changed, oldest first'),
  })
  .meta({ id: 'AgentSession', description: 'The changes of one connection without a pause of 30 minutes; kept for 30 days' });
export type AgentSession = z.infer<typeof AgentSession>;

const access = { tag: 'Organization', credential: 'session', roles: ['owner', 'admin', 'developer'] } as const;

export const listAgentSessions = defineOperation({
  ...access,
  method: 'GET',
  path: '/account/agents/sessions',
  summary: 'What agents changed in the organization, by session, newest first',
  description: 'Recorded where an owner lets agents build and publish. At most the latest 20 sessions, of the last 30 days.',
  permission: 'read',
  rpc: 'accounts.ListAgentSessions',
  output: z.object({ sessions: z.array(AgentSession).describe('The sessions, newest first; empty if there are none'), total: Total }),
  success: 200,
  errors: [],
});

export const undoAgentSession = defineOperation({
  tag: 'Organization',
  roles: access.roles,
  method: 'POST',
  path: '/account/agents/sessions/{toolSessionId}/undo',
  summary: 'Take back what an agent changed in a session, newest first',
  description:
    'Each change is taken back with the rights of the caller, and only if nobody changed the same thing since: otherwise it is `left`, with the reason. An API key and an agent reach the sessions that they made themselves. Only one undo of a session runs at a time. A repeat goes on where the one before ended.',
  permission: 'write',
  isSlow: true,
  rpc: 'mcp.UndoAgentSession',
  input: z.strictObject({}),
  output: z.object({ session: AgentSession }),
  success: 200,
  etag: false,
  errors: ['tool_session_not_found', 'undo_running'],
});
