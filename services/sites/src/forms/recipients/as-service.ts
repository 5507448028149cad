import { type Caller, callerFor, servicePrincipal } from '@webkiln/messages';

const timeoutMs = 5_000;

/** This service's own caller, in an organization. */
export const asService = (org_id: string): Caller => callerFor(servicePrincipal('sites', org_id), { timeoutMs });
