import { randomUUID } from 'node:crypto';
import type { Permission, SessionRole } from '@webkiln/contract';

/** Who is calling. `org_id` is empty only for who acts for no organization: an operator, a service, somebody signed in who belongs to none. */
export interface Principal {
  readonly kind: 'api_key' | 'session' | 'operator' | 'service';
  readonly org_id: string;
  /** The key's id, the session's id, the operator's name or the service's name. */
  readonly credential_id: string;
  readonly permissions: readonly Permission[];
  /** Whose session it is. */
  readonly account_id?: string | undefined;
  /** What he is in the organization that the session is in; of a key, what the member was who made it. */
  readonly role?: SessionRole | undefined;
  /** Of a client's session: its user, who owns what it sees, and the client. */
  readonly user_id?: string | undefined;
  readonly client_id?: string | undefined;
}

/** Makes a repeated POST find what the first one made: see packages/store/src/idempotency.ts. */
export interface Idempotency {
  /** SHA-256 (base64url) of credential, route and the Idempotency-Key, or of the body where no key was sent. */
  readonly id: string;
  /** SHA-256 (base64url) of the body. */
  readonly body: string;
  /** True when the caller sent an Idempotency-Key: the outcome is kept 24 h and replayed. */
  readonly explicit: boolean;
}

/** Everything that travels with a call besides its request. */
export interface Caller {
  readonly principal: Principal;
  readonly requestId: string;
  /** Epoch milliseconds after which nobody waits for the answer. */
  readonly deadlineAt: number;
  readonly idempotency?: Idempotency;
  /** The If-Match header, as sent. */
  readonly ifMatch?: string;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** Gets a function that gives the call up; it may be called at any time, also when the call is over. */
  readonly onCancel?: (cancel: () => void) => void;
}

/** A caller as a handler sees it. */
export interface IncomingCaller extends Caller {
  /** Aborts when the deadline passes or the caller goes away. */
  readonly signal: AbortSignal;
}

/** A person who runs the platform, at the command line; acts for one organization, or for none. */
export const operatorPrincipal = (orgId = ''): Principal => ({
  kind: 'operator',
  org_id: orgId,
  credential_id: 'operator',
  permissions: ['read', 'write'],
});

/** A service that acts of its own accord, for an organization's event or (empty `orgId`) for none. */
export const servicePrincipal = (name: string, orgId: string): Principal => ({
  kind: 'service',
  org_id: orgId,
  credential_id: name,
  permissions: ['read', 'write'],
});

/**
 * What a service asks of another one for a caller's request, as its own doing and in an organization: the caller himself may have no
 * right to it. What makes his request repeatable or conditional is not passed on.
 */
export const onBehalf = (service: string, caller: Caller, orgId = caller.principal.org_id): Caller => ({
  principal: servicePrincipal(service, orgId),
  requestId: caller.requestId,
  deadlineAt: caller.deadlineAt,
  traceparent: caller.traceparent,
  onCancel: (cancel) => caller.onCancel?.(cancel),
});

/** A caller where there is no request from outside; nobody waits longer than `timeoutMs`. */
export const callerFor = (principal: Principal, { timeoutMs }: { timeoutMs: number }): Caller => ({
  principal,
  requestId: randomUUID(),
  deadlineAt: Date.now() + timeoutMs,
});
