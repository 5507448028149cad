import { isEditedMeanwhile, type Scope, saveChange, scoped, where } from '@webkiln/store';
import { disableEndpoint, type EndpointState } from './endpoint.ts';
import { EndpointModel, endpointById } from './endpoint-store.ts';

/** Records since when attempts fail, unless that is recorded already. */
export async function recordFailing(scope: Scope, _id: string, since: Date): Promise<void> {
  await scoped(EndpointModel, scope).updateOne({ _id, failing_since: null }, { $set: { failing_since: since } });
}

/** Records that an attempt succeeded. */
export async function recordWorking(scope: Scope, _id: string): Promise<void> {
  await scoped(EndpointModel, scope).updateOne(
    { _id, failing_since: where<Date | null>({ $ne: null }) },
    { $set: { failing_since: null } },
  );
}

/**
 * Disables an endpoint if `condition` holds for its current state. After a concurrent change the next failure decides
 * again.
 */
export async function disable(
  scope: Scope,
  _id: string,
  reason: NonNullable<EndpointState['disabled_reason']>,
  condition: (endpoint: EndpointState) => boolean,
): Promise<void> {
  const endpoint = await endpointById(scope, _id);
  if (endpoint === null || !endpoint.is_active || !condition(endpoint)) return;
  try {
    await saveChange(EndpointModel, scope, endpoint, disableEndpoint(endpoint, reason));
  } catch (error) {
    if (!isEditedMeanwhile(error)) throw error;
  }
}
