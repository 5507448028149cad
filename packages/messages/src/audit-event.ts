import type { AuditAction, AuditedAct } from '@webkiln/contract';
import type { Caller } from './caller.ts';
import type { RaisedEvent } from './events.ts';

type PrincipalOnly = Pick<Caller, 'principal'>;

/** People are recorded by their account, other callers by their credential; both with the agent that they use. */
const actorOf = ({ principal: { kind, account_id, credential_id, agent } }: PrincipalOnly): AuditedAct['actor'] => ({
  ...(account_id === undefined ? { kind, id: credential_id } : { kind: 'account', id: account_id }),
  ...(agent !== undefined && { agent }),
});

/**
 * The event that audits an action. It is raised in the action's own write, so that neither exists without the other.
 */
export const auditEvent = (caller: PrincipalOnly, action: AuditAction, target: AuditedAct['target']): RaisedEvent => ({
  type: 'internal.audited',
  data: { actor: actorOf(caller), action, target },
});
