import type { AuditAction, AuditedAct } from '@webkiln/contract';
import type { RaisedEvent } from '@webkiln/messages';
import { membershipsOf } from '../sessions/memberships.ts';
import { currentRequest } from '../sign-in/current-request.ts';

/**
 * The event that audits an account's action on itself. It names the organizations that the account belongs to now:
 * joining or leaving one before the event is consumed changes nothing.
 */
export async function accountAuditEvent(account_id: string, action: AuditAction, more: Partial<AuditedAct> = {}): Promise<RaisedEvent> {
  const ip_prefix = currentRequest.getStore()?.network;
  const org_ids = [...new Set((await membershipsOf(account_id)).map(({ org_id }) => org_id))];
  return {
    type: 'internal.audited',
    data: {
      actor: { kind: 'account', id: account_id },
      action,
      target: { kind: 'account', id: account_id, name: null },
      account_id,
      org_ids,
      ...(ip_prefix !== undefined && { ip_prefix }),
      ...more,
    },
  };
}
