import { type Caller, callerFor, servicePrincipal } from '@webkiln/messages';

const timeoutMs = 10_000;

/** The caller for writes that no RPC asks for, such as those of the sign-in library. */
export const identityCaller = (orgId = ''): Caller => callerFor(servicePrincipal('identity', orgId), { timeoutMs });
