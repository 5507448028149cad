import { Change } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { saveChange, saveWithRetry, type Tenant } from '@webkiln/store';
import { EndpointModel, endpointById, endpointIds, organizationsWithEndpoints } from './endpoint-store.ts';
import type { SigningSecrets } from './signing-secrets.ts';

/**
 * Seals all secrets with the newest key. Afterwards the older keys open only idempotency outcomes of the last 24 hours.
 */
export async function resealSecrets(secrets: SigningSecrets): Promise<void> {
  let resealed = 0;
  for (const org_id of await organizationsWithEndpoints()) {
    for (const id of await endpointIds({ org_id })) if (await reseal(secrets, { org_id }, id)) resealed++;
  }
  logger.info({ resealed }, 'resealed signing secrets with the first of WEBHOOK_SECRET_KEYS');
}

const reseal = (secrets: SigningSecrets, tenant: Tenant, id: string): Promise<boolean> =>
  saveWithRetry({}, async () => {
    const current = await endpointById(tenant, id);
    if (current === null) return false;
    const secret = secrets.renewed(tenant.org_id, current.secret);
    const previous_secret = current.previous_secret && secrets.renewed(tenant.org_id, current.previous_secret);
    if (secret === current.secret && previous_secret === current.previous_secret) return false;
    await saveChange(EndpointModel, tenant, current, new Change({ secret, previous_secret }, []));
    return true;
  });
