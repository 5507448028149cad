import * as z from 'zod';
import { agentTexts } from '../agents/agent-texts.ts';
import { CreatedAt, Email, Name, OptionalPage, oneOf, RecordId, Total, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { PlanLimitName } from '../plan-limits.ts';

export const ClientStatus = oneOf(['invited', 'active', 'suspended', 'churned']).meta({
  id: 'ClientStatus',
  description:
    '`invited`: has a mail with a link and has not followed it; `active`: can sign in and own projects; `suspended`: its sites answer 503 until it is active again; `churned`: has left, its sites are off the web',
});
export const PaymentStatus = oneOf(['none', 'active', 'past_due', 'canceled']).meta({
  id: 'PaymentStatus',
  description:
    "Follows the client's payments and cannot be set. `none`: nothing was charged yet; `active`: paid; `past_due`: an order is overdue; `canceled`: the subscription has ended",
});

export const Client = z
  .object({
    id: RecordId,
    email: Email.describe('Where its mails go and what it signs in with; unique within the organization, whatever its case').register(
      agentTexts,
      { text: 'Unique within the organization, whatever its case' },
    ),
    name: Name.nullable().describe('The person to address in mails and in the dashboard; null if it is not known'),
    company: Name.nullable().describe('The company that the client belongs to, as lists and invoices name it; null if there is none'),
    status: ClientStatus,
    plan_id: z.string().nullable().describe('The plan that limits what the client may have; null: it is on none'),
    payment_status: PaymentStatus,
    created_at: CreatedAt,
  })
  .meta({ id: 'Client', description: 'An end customer of the organization' })
  .register(agentTexts, { asDescribed: true });
export type Client = z.infer<typeof Client>;

const tag = 'Clients';

export const listClients = defineOperation({
  method: 'GET',
  path: '/clients',
  tag,
  summary: "List the organization's clients, newest first",
  description: 'Clients of every status, also those that have left. Without `limit` and `offset` all of them, at most 1,000.',
  permission: 'read',
  rpc: 'clients.ListClients',
  input: z.object(OptionalPage),
  output: z.object({ clients: z.array(Client).describe('The clients, newest first; empty if there are none'), total: Total }),
  success: 200,
  errors: [],
});

export const createClient = defineOperation({
  method: 'POST',
  path: '/clients',
  tag,
  summary: 'Invite a client by email',
  description: 'The client gets a mail with an activation link and is `invited` until it is followed.',
  permission: 'write',
  rpc: 'clients.CreateClient',
  input: z.strictObject({
    email: Email.describe('Gets the invitation. An address that another client of your organization has is refused with 400 `email_taken`'),
    name: Name.nullish().describe('The person to address; left out or null: not known yet'),
    company: Name.nullish().describe('The company that the client belongs to; left out or null: none'),
    plan_id: Uuid.nullish().describe('A plan from GET /plans; if it costs something, a subscription is opened. Left out or null: no plan'),
  }),
  output: z.object({ client: Client }),
  success: 201,
  errors: ['email_taken', 'plan_unknown'],
});

export const getClient = defineOperation({
  method: 'GET',
  path: '/clients/{clientId}',
  tag,
  summary: 'Read one client',
  description: 'A client of another organization answers 404, like one that does not exist.',
  permission: 'read',
  rpc: 'clients.GetClient',
  output: z.object({ client: Client }),
  success: 200,
  errors: ['client_not_found'],
});

export const updateClient = defineOperation({
  method: 'PATCH',
  path: '/clients/{clientId}',
  tag,
  summary: 'Change the fields that the body names; null clears a nullable one',
  description:
    'Another plan applies at once. One that allows less than the client uses deletes nothing: nothing more can be made until it fits, as `GET /clients/{clientId}/limits` says.',
  permission: 'write',
  rpc: 'clients.UpdateClient',
  input: z
    .strictObject({
      name: Name.nullable().describe('The person to address; null: not known'),
      company: Name.nullable().describe('The company that the client belongs to; null: none'),
      status: ClientStatus.describe(
        '`active` lets the client own projects, also without its link; `suspended` and `churned` take its sites off the web',
      ),
      plan_id: Uuid.nullable().describe('Another plan, from GET /plans, in force at once; null takes the client off its plan'),
    })
    .partial(),
  output: z.object({ client: Client }),
  success: 200,
  errors: ['client_not_found', 'plan_unknown', 'quota_exceeded'],
});

export const resendInvitation = defineOperation({
  method: 'POST',
  path: '/clients/{clientId}/invitation',
  tag,
  summary: 'Send the invitation again; the link sent before stops working',
  description: 'For a client that is still `invited`; any other is refused with 409 `invitation_not_pending`. The mail has a new link.',
  permission: 'write',
  rpc: 'clients.ResendInvitation',
  input: z.strictObject({}),
  output: z.object({ client: Client }),
  success: 200,
  errors: ['client_not_found', 'invitation_not_pending', 'quota_exceeded'],
});

export const getClientJoining = defineOperation({
  method: 'GET',
  path: '/clients/{clientId}/joining',
  tag,
  summary: 'Read how a client came to the organization',
  description:
    'A client is made by the organization (by a person, a key or an agent), or comes of its own accord by a build link that allows joining.',
  permission: 'read',
  rpc: 'clients.GetClientJoining',
  output: z.object({
    build_link_id: Uuid.nullable().describe(
      'The build link by which it became a client of its own accord; null for a client of the organization itself',
    ),
  }),
  success: 200,
  errors: ['client_not_found'],
});

export const PlanUse = z
  .object({
    limit: PlanLimitName,
    allowed: z.int().nullable().describe('The most that the plan allows. 0: it does not include it; null: it includes it without a limit'),
    used: z
      .int()
      .nullable()
      .describe('What the client has of it now; null for what is not counted, and for messages, which begin anew each day'),
    is_exceeded: z.boolean().describe('True: more is used than is allowed'),
    message: z.string().nullable().describe('Where more is used than is allowed: what that means'),
  })
  .meta({ id: 'PlanUse', description: 'How much a plan allows a client, and how much of it the client uses' });
export type PlanUse = z.infer<typeof PlanUse>;

export const getClientLimits = defineOperation({
  method: 'GET',
  path: '/clients/{clientId}/limits',
  tag,
  summary: 'Read what a plan allows a client, and what the client uses of it',
  description:
    "Of the client's own plan, or of another one: a change of plan is seen before it is made. A plan that allows less than is used deletes nothing: what is there stays, and nothing more can be made until it fits.",
  permission: 'read',
  rpc: 'projects.GetClientLimits',
  input: z.object({ plan_id: z.string().optional().describe("In place of the client's own plan") }),
  output: z.object({ limits: z.array(PlanUse).describe('One row for each limit of a plan, always in the same order') }),
  success: 200,
  etag: false,
  errors: ['client_not_found', 'plan_not_found'],
});

export const removeClient = defineOperation({
  method: 'POST',
  path: '/clients/{clientId}/remove',
  tag,
  summary: 'Remove a client who joined by a build link',
  description:
    "The client is `churned` at once: its sessions end, its sites are taken off the web, and its account cannot join the organization again. It no longer uses the quota of clients. Its projects stay until they are deleted. With another `status` it comes back, as a client of the organization's own.",
  permission: 'write',
  roles: ['owner', 'admin'],
  rpc: 'clients.RemoveClient',
  input: z.strictObject({}),
  output: z.object({ client: Client }),
  success: 200,
  errors: ['client_not_found', 'client_not_joined'],
});
