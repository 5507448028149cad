import type { ServiceName } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { saveReport } from './erasure-store.ts';

/** Takes a service's word that it has deleted what it had of an organization. */
export const reportErasure = handle('identity.ReportErasure', async ({ organization_id, round, deleted }, caller) => {
  assertInternal(caller);
  await saveReport(caller, organization_id, round, caller.principal.credential_id as ServiceName, deleted);
  return {};
});
