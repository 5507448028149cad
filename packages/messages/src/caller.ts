import { randomUUID } from 'node:crypto';
import type { Permission, SessionRole } from '@webkiln/contract';
import { type ProcessName, processes, type ServiceName } from './services.ts';

/** The caller. `org_id` is empty if it acts for no organization: an operator, a service, or a session without one. */
export interface Principal {
  readonly kind: 'api_key' | 'session' | 'oauth_token' | 'embed_token' | 'operator' | 'service';
  readonly org_id: string;
  /** The id of the key, session, embed session or token's authorization, or the name of the operator or service. */
  readonly credential_id: string;
  readonly permissions: readonly Permission[];
  /** The account of the session, or that the agent acts for. */
  readonly account_id?: string | undefined;
  /** The caller's role: the member's present role, or the role that the API key's creator had. */
  readonly role?: SessionRole | undefined;
  /** True for the session of a client whose agency lets clients use its tools. */
  readonly has_agency_tools?: boolean | undefined;
  /** For a client's session or an embed token, and calls on their behalf: the user, who owns the visible projects. */
  readonly user_id?: string | undefined;
  /** The client that the user belongs to. */
  readonly client_id?: string | undefined;
  /** The project that an API key or OAuth token is limited to. */
  readonly project_id?: string | undefined;
  /** What the person of an OAuth token allowed: see `agentScopes`. */
  readonly scopes?: readonly string[] | undefined;
  /** The name that an agent's program gives itself, for the logs. It proves nothing. */
  readonly agent?: string | undefined;
}

/** Lets a repeated POST find the first one's result: see packages/store/src/idempotency/idempotency.ts. */
export interface Idempotency {
  /** SHA-256 (base64url) of credential, route and the Idempotency-Key, or of the body where no key was sent. */
  readonly id: string;
  /** SHA-256 (base64url) of the body. */
  readonly body: string;
  /** SHA-256 (base64url) of its values: the same for the same JSON in another order. */
  readonly meaning?: string | undefined;
  /** True when the caller sent an Idempotency-Key: the outcome is kept 24 h and replayed. */
  readonly explicit: boolean;
}

/** Everything that travels with a call besides its request. */
export interface Caller {
  readonly principal: Principal;
  readonly requestId: string;
  /** Epoch milliseconds after which the caller has stopped waiting. */
  readonly deadlineAt: number;
  readonly idempotency?: Idempotency;
  /** The If-Match header, as sent. */
  readonly ifMatch?: string;
  /** The principal as the gateway signed it for the services that mcp calls; in a call of mcp and in those it makes. */
  readonly delegation?: string;
  /** Asks a read for its reply as JSON of the contract: a `JsonReply`, from any service of this release. */
  readonly wantsJson?: boolean;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** The network of the client whose request this serves: an IPv4 /24 or an IPv6 /64, for the logs. */
  readonly network?: string | undefined;
  /** Receives a function that cancels the call; calling it later is allowed, even after the call has ended. */
  readonly onCancel?: (cancel: () => void) => void;
}

/** A caller as a handler sees it. */
export interface IncomingCaller extends Caller {
  /** Aborts when the deadline passes or the caller goes away. */
  readonly signal: AbortSignal;
}

/**
 * The caller for an operator at the command line, who acts for one organization or for none. Audit logs show the name.
 */
export const operatorPrincipal = (orgId = '', name = 'operator'): Principal => ({
  kind: 'operator',
  org_id: orgId,
  credential_id: name,
  permissions: ['read', 'write'],
});

/** The caller for a service's own work, for an organization or (empty `orgId`) for none. */
export const servicePrincipal = (name: string, orgId: string): Principal => ({
  kind: 'service',
  org_id: orgId,
  credential_id: name,
  permissions: ['read', 'write'],
});

/**
 * The caller for an RPC that a service makes in its own name while it serves `caller`. A client's user still sees its
 * own records only. Idempotency and If-Match are not passed on.
 */
export const onBehalf = (service: string, caller: Caller, orgId = caller.principal.org_id): Caller => ({
  principal: { ...servicePrincipal(service, orgId), user_id: caller.principal.user_id },
  requestId: caller.requestId,
  deadlineAt: caller.deadlineAt,
  traceparent: caller.traceparent,
  network: caller.network,
  onCancel: (cancel) => caller.onCancel?.(cancel),
});

/** A caller for work without an outside request; its deadline is `timeoutMs` from now. */
export const callerFor = (principal: Principal, { timeoutMs }: { timeoutMs: number }): Caller => ({
  principal,
  requestId: randomUUID(),
  deadlineAt: Date.now() + timeoutMs,
});

/** A caller for what a service does in its own name, such as writes of the sign-in library; `orgId` may be empty. */
export const serviceCaller = (service: string, orgId = '', timeoutMs = 10_000): Caller =>
  callerFor(servicePrincipal(service, orgId), { timeoutMs });

/** The issuers that sign principals: each process, and operators at the command line. */
export type Issuer = ProcessName | 'operator';

export const issuers: readonly Issuer[] = [...(Object.keys(processes) as ProcessName[]), 'operator'];

/** The issuers that call a service: it trusts no other. Operators call every one. */
export const callersOf = (service: ServiceName): Issuer[] =>
  issuers.filter((issuer) => issuer === 'operator' || (processes[issuer].peers as readonly ServiceName[]).includes(service));

/** An encoded reply; `replayed` when it is the one of an earlier attempt. */
export type EncodedReply = Uint8Array | { readonly bytes: Uint8Array; readonly replayed: boolean };

/** Wraps the use cases of repeatable calls. Works on encoded replies, so that they can be stored and replayed. */
export type Interceptor = (method: string, caller: IncomingCaller, run: () => Promise<Uint8Array>) => Promise<EncodedReply>;
