import { type Caller, callerFor, servicePrincipal } from '@webkiln/rpc';

const timeoutMs = 10_000;

/** For what the sign-in library has us do: it calls without a request of ours. */
export const ownCaller = (orgId = ''): Caller => callerFor(servicePrincipal('identity', orgId), { timeoutMs });
