import * as z from 'zod';
import { Email, Name, OptionalPage, oneOf, Timestamp, Total, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { planLimits } from '../plan-limits.ts';

export const ClientStatus = oneOf(['invited', 'active', 'suspended', 'churned']);
export const PaymentStatus = oneOf(['none', 'active', 'past_due', 'canceled']);

export const Client = z
  .object({
    id: Uuid,
    email: Email.describe('Unique within the organization, whatever its case'),
    name: Name.nullable(),
    company: Name.nullable(),
    status: ClientStatus,
    plan_id: z.string().nullable(),
    payment_status: PaymentStatus,
    created_at: Timestamp,
  })
  .meta({ id: 'Client', description: 'An end customer of the organization' });
export type Client = z.infer<typeof Client>;

const tag = 'Clients';

export const listClients = defineOperation({
  method: 'GET',
  path: '/clients',
  tag,
  summary: "List the organization's clients, newest first",
  permission: 'read',
  rpc: 'clients.ListClients',
  input: z.object(OptionalPage),
  output: z.object({ clients: z.array(Client), total: Total }),
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
  input: z.strictObject({ email: Email, name: Name.nullish(), company: Name.nullish(), plan_id: Uuid.nullish() }),
  output: z.object({ client: Client }),
  success: 201,
  errors: ['email_taken', 'plan_unknown'],
});

export const getClient = defineOperation({
  method: 'GET',
  path: '/clients/{clientId}',
  tag,
  summary: 'Read one client',
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
  input: z.strictObject({ name: Name.nullable(), company: Name.nullable(), status: ClientStatus, plan_id: Uuid.nullable() }).partial(),
  output: z.object({ client: Client }),
  success: 200,
  errors: ['client_not_found', 'plan_unknown', 'quota_exceeded'],
});

export const resendInvitation = defineOperation({
  method: 'POST',
  path: '/clients/{clientId}/invitation',
  tag,
  summary: 'Send the invitation again; the link sent before stops working',
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
    limit: oneOf(planLimits).describe('The field of `Plan`'),
    allowed: z.int().nullable().describe('0: the plan does not include it; null: it includes it without a limit'),
    used: z.int().nullable().describe('Null for what is not counted, and for messages, which begin anew each day'),
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
  output: z.object({ limits: z.array(PlanUse) }),
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
