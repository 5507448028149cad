import type { AuditAction, AuditedAct, RaisedEvent } from '@webkiln/contract';
import { membershipsOf } from '../sessions/memberships.ts';

/**
 * The event by which an act of somebody with his own account comes into the logs: of each organization that he belongs to as he does it,
 * whatever he joins or leaves before it is heard.
 */
export async function auditedOf(account_id: string, action: AuditAction, more: Partial<AuditedAct> = {}): Promise<RaisedEvent> {
  const org_ids = [...new Set((await membershipsOf(account_id)).map(({ org_id }) => org_id))];
  return {
    type: 'internal.audited',
    data: {
      actor: { kind: 'account', id: account_id },
      action,
      target: { kind: 'account', id: account_id, name: null },
      account_id,
      org_ids,
      ...more,
    },
  };
}
