import * as z from 'zod';
import { oneOf, Page, RecordId, Timestamp, Total } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { wire } from '../../wire/wire.ts';

/** The actions that the audit log records. */
export const auditActions = [
  'session.started',
  'sign_in.blocked',
  'password.changed',
  'email.changed',
  'second_factor.on',
  'second_factor.off',
  'backup_codes.renewed',
  'passkey.added',
  'passkey.removed',
  'key.created',
  'key.changed',
  'key.rotated',
  'key.revoked',
  'agent.connected',
  'agent.revoked',
  'agent.token_reused',
  'embed_client.created',
  'embed_client.changed',
  'embed_client.rotated',
  'embed_client.deleted',
  'embed_session.revoked',
  'webhook.created',
  'webhook.changed',
  'webhook.rotated',
  'webhook.deleted',
  'invitation.sent',
  'member.added',
  'member.changed',
  'member.removed',
  'client.created',
  'client.changed',
  'plan.created',
  'plan.changed',
  'default_plan.changed',
  'subscription.changed',
  'order.changed',
  'payment_settings.changed',
  'template.created',
  'template.changed',
  'template.deleted',
  'project.created',
  'project.changed',
  'project.handed_over',
  'project.published',
  'project.rolled_back',
  'project.deleted',
  'submissions.exported',
  'organization.changed',
  'agents.opened',
  'agents.undone',
  'agents.closed',
  'agents.asking',
  'agents.unasked',
  'agents.always_asked',
  'agents.allowed',
  'agents.refused',
  'models.changed',
  'credits.granted',
  'organization.suspended',
  'organization.resumed',
  'organization.exported',
  'organization.deleted',
  'organization.restored',
  'limit.changed',
  'site.taken_down',
  'site.restored',
  'account.locked',
  'account.unlocked',
  'sessions.ended',
  'account.link_created',
  'account.deleted',
  'dead_letter.replayed',
  'dead_letter.discarded',
  'deliveries.replayed',
] as const;
export type AuditAction = (typeof auditActions)[number];

const AuditActionName = oneOf(auditActions).meta({
  id: 'AuditAction',
  description: 'What was done: the kind of thing, and what became of it',
});

const Actor = z
  .object({
    kind: z.string().describe('What it is, such as `account`, `key` or `operator`'),
    id: z.string().describe('Its id, or the name of an operator or service; empty if unknown'),
    email: z.string().nullable().describe('The address of the account at present; null for what has none'),
    agent: z.string().nullable().describe('The name that the agent gave itself through which it was done; null if none was used'),
  })
  .meta({ id: 'AuditActor', description: 'Who did it' })
  .register(wire, { message: 'AuditActor' });
const Target = z
  .object({
    kind: z.string().describe('What it is, such as `project` or `key`'),
    id: z.string().describe('Its id'),
    name: z.string().nullable().describe('What it is called; null where it has no name'),
  })
  .meta({ id: 'AuditTarget', description: 'What it was done to' })
  .register(wire, { message: 'AuditTarget' });

/** A sensitive act as it happened. */
export interface AuditedAct {
  /** The actor: an account, or an operator or service by its name; empty if unknown. */
  readonly actor: { readonly kind: string; readonly id: string; readonly agent?: string };
  readonly action: AuditAction;
  readonly target: z.infer<typeof Target>;
  readonly ip_prefix?: string;
  /**
   * The organizations whose logs get the entry if the record itself has none: those that the account belonged to at the
   * time.
   */
  readonly org_ids?: readonly string[];
  readonly account_id?: string;
  /** Instead of both: the address that was attempted. */
  readonly email?: string;
}

export const AuditEntry = z
  .object({
    id: RecordId,
    at: Timestamp.describe('When it was done, ISO 8601 in UTC'),
    actor: Actor,
    action: AuditActionName,
    target: Target,
    ip_prefix: z
      .string()
      .nullable()
      .describe('The network that it was done from, an IPv4 /24 or an IPv6 /64; null where the platform did it'),
    previous_hash: z.string().describe('The hash of the entry before; empty for the first'),
    hash: z.string().describe('SHA-256, base64url, over the previous hash and the entry; over names and addresses by a salted digest'),
  })
  .meta({ id: 'AuditEntry', description: 'A sensitive act; an entry that is changed or taken out breaks the chain of hashes' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const listAudit = defineOperation({
  method: 'GET',
  path: '/account/audit',
  tag: 'Organization',
  summary: 'The audit log of the organization, newest first',
  description: 'Entries cannot be changed or taken out without breaking the chain of hashes, which `webkiln audit verify` checks.',
  permission: 'read',
  area: 'audit',
  roles: ['owner'],
  rpc: 'accounts.ListAudit',
  input: z.object(Page),
  output: z.object({
    entries: z.array(AuditEntry).describe('The entries of this page, newest first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  errors: [],
});
