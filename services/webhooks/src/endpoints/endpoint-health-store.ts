import { AppError } from '@webkiln/contract';
import { type Scope, saveChange, scoped, where } from '@webkiln/store';
import { disableEndpoint, type EndpointState } from './endpoint.ts';
import { EndpointModel, endpointById } from './endpoint-store.ts';

/** Notes that attempts fail from that moment on, unless it is noted already. */
export async function noteFailing(scope: Scope, _id: string, since: Date): Promise<void> {
  await scoped(EndpointModel, scope).updateOne({ _id, failing_since: null }, { $set: { failing_since: since } });
}

/** Notes that an attempt succeeded. */
export async function noteWorking(scope: Scope, _id: string): Promise<void> {
  await scoped(EndpointModel, scope).updateOne(
    { _id, failing_since: where<Date | null>({ $ne: null }) },
    { $set: { failing_since: null } },
  );
}

/** Switches an endpoint off, as long as `holds` of what it is now. A change that comes between is looked at again by the next failure. */
export async function switchOff(
  scope: Scope,
  _id: string,
  reason: NonNullable<EndpointState['disabled_reason']>,
  holds: (endpoint: EndpointState) => boolean,
): Promise<void> {
  const endpoint = await endpointById(scope, _id);
  if (endpoint === null || !endpoint.is_active || !holds(endpoint)) return;
  try {
    await saveChange(EndpointModel, scope, endpoint, disableEndpoint(endpoint, reason));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'edited_meanwhile') throw error;
  }
}
