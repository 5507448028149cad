import type { AuditAction, AuditedAct, RaisedEvent } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';

type Asking = Pick<Caller, 'principal'>;

/** Who asks, as the log has him: a person by his account, anybody else by name. */
const actorOf = ({ principal: { kind, account_id, credential_id } }: Asking): AuditedAct['actor'] =>
  account_id === undefined ? { kind, id: credential_id } : { kind: 'account', id: account_id };

/** The event by which an act comes into the log: it is raised in the act's own write, so that there is neither without the other. */
export const audited = (caller: Asking, action: AuditAction, target: AuditedAct['target']): RaisedEvent => ({
  type: 'internal.audited',
  data: { actor: actorOf(caller), action, target },
});
