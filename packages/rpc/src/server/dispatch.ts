import { status } from '@grpc/grpc-js';
import { AppError, accessToRpc, type ErrorCode, refusalOf } from '@webkiln/contract';
import type { IncomingCaller, Interceptor, Principal } from '@webkiln/messages';
import { logger, tracing, withSpan } from '@webkiln/runtime';
import type { IncomingRequest, Method, MethodName, ReplyOf } from '../methods.ts';
import { isJson, type JsonEncoder, jsonEncoderOf } from '../methods.ts';
import {
  CallDurations,
  type CallResult,
  type Cancellation,
  DecodedCaller,
  errorToResult,
  failedResult,
  type Headers,
  okResult,
} from '../wire.ts';
import { ownCalls } from './own-calls.ts';

/** The implementation of one RPC. */
export interface UseCase<M extends MethodName = MethodName> {
  readonly method: M;
  run(request: IncomingRequest<M>, caller: IncomingCaller): Promise<ReplyOf<M>>;
}

/**
 * Binds a use case to its method. The caller receives the `AppError` that it throws; any other error becomes
 * `internal`.
 */
export const handle = <M extends MethodName>(method: M, run: UseCase<M>['run']): UseCase<M> => ({ method, run });

interface DispatcherOptions {
  readonly methods: readonly Method[];
  readonly useCases: readonly UseCase[];
  readonly interceptor: Interceptor | undefined;
  readonly maxInFlight: number;
}

interface ServedMethod {
  readonly method: Method;
  readonly useCase: UseCase;
  readonly encodeJson: JsonEncoder | undefined;
  readonly refusalOf: CallRefusal;
  /** Its operation is about the project that the request names. */
  readonly namesProject: boolean;
  readonly durations: CallDurations;
}

/** Runs the use case of a call, for both transports. First checks principal, load, deadline and role. */
export class Dispatcher {
  readonly #served: ReadonlyMap<string, ServedMethod>;
  readonly #options: DispatcherOptions;
  /** Use cases that are running. */
  #inFlight = 0;

  constructor(options: DispatcherOptions) {
    const useCases = new Map(options.useCases.map((useCase) => [useCase.method, useCase]));
    const missing = options.methods.filter(({ name }) => !useCases.has(name));
    if (missing.length > 0) throw new Error(`no use case serves ${missing.map(({ name }) => name).join(', ')}`);
    this.#options = options;
    this.#served = new Map(
      options.methods.map((method) => [
        method.name,
        {
          method,
          useCase: useCases.get(method.name) as UseCase,
          encodeJson: jsonEncoderOf(method.name),
          refusalOf: callRefusalOf(method.name),
          namesProject: accessToRpc(method.name)?.projects === 'named',
          durations: new CallDurations('server', method.name),
        },
      ]),
    );
  }

  /** Never rejects; failures are results. Without a verified principal the call is refused. */
  async dispatch(
    name: string,
    principal: Principal | undefined,
    headers: Headers,
    payload: Buffer,
    cancellation: Cancellation,
  ): Promise<CallResult> {
    const served = this.#served.get(name);
    const startedAt = performance.now();
    this.#inFlight++;
    try {
      if (served === undefined) return failedResult(status.UNIMPLEMENTED, `${name} is not served here`);
      if (principal === undefined) return failedResult(status.UNAUTHENTICATED, 'the call has no valid principal');
      const result =
        this.#refusal(cancellation) ??
        (await this.#authenticated(served, new DecodedCaller(principal, headers, cancellation), headers, payload));
      served.durations.observe(result.status === status.OK ? 'ok' : (result.metadata['error-code'] ?? 'refused'), startedAt);
      return result;
    } finally {
      this.#inFlight--;
      cancellation.dispose();
    }
  }

  #refusal({ deadlineAt }: Cancellation): CallResult | undefined {
    if (this.#inFlight > this.#options.maxInFlight) return failedResult(status.RESOURCE_EXHAUSTED, 'too many calls at once');
    return deadlineAt <= Date.now() ? failedResult(status.DEADLINE_EXCEEDED, 'the deadline passed in transit') : undefined;
  }

  async #authenticated(served: ServedMethod, caller: DecodedCaller, headers: Headers, payload: Buffer): Promise<CallResult> {
    try {
      const refusal = served.refusalOf(caller.principal);
      if (refusal !== undefined) throw new AppError(refusal);
      const run = () => this.#run(served, payload, caller, isJson(headers));
      if (!tracing.enabled) return await run();
      const attributes = { 'rpc.system': 'grpc', 'rpc.method': served.method.name };
      return await withSpan(served.method.name, { kind: 'server', attributes, parent: caller.traceparent }, run);
    } catch (error) {
      const about = { err: error, method: served.method.name, request_id: caller.requestId };
      if (error instanceof AppError && error.code !== 'internal') {
        if (error.code === 'unavailable') logger.warn(about, 'use case needs what is away; the caller gets `unavailable`');
        return errorToResult(error);
      }
      logger.error(about, 'use case failed; the caller gets `internal`');
      return errorToResult(new AppError('internal'));
    }
  }

  async #run(
    { method, useCase, encodeJson, namesProject }: ServedMethod,
    payload: Buffer,
    caller: DecodedCaller,
    wantsJson: boolean,
  ): Promise<CallResult> {
    const request = method.decodeRequest(payload) as Parameters<UseCase['run']>[0];
    const { project_id } = caller.principal;
    if (namesProject && project_id !== undefined && (request as { project_id?: string }).project_id !== project_id)
      throw new AppError('project_not_found');
    const run = () => useCase.run(request, caller);
    if (wantsJson && encodeJson !== undefined) return encodeJson(await run());
    const { interceptor } = this.#options;
    if (interceptor === undefined || caller.idempotency === undefined) return okResult(method.encodeReply(await run()), false);
    const reply = await interceptor(method.name, caller, async () => method.encodeReply(await run()));
    return reply instanceof Uint8Array ? okResult(reply, false) : okResult(reply.bytes, reply.replayed);
  }
}

/**
 * RPCs that serve every API key and OAuth token: a message of an agent is no API operation. The services behind its
 * tools check permission and role.
 */
const agentCalls: ReadonlySet<string> = new Set<MethodName>(['mcp.Answer', 'mcp.AnswerWrite']);

type CallRefusal = (principal: Principal) => ErrorCode | undefined;

/**
 * Decides who may call an RPC: keys, sessions and tokens by its API operation, services and operators by
 * `ownCalls`, and agents by `agentCalls`.
 */
export function callRefusalOf(method: MethodName): CallRefusal {
  const access = accessToRpc(method);
  const own = new Set<string>(ownCalls[method]);
  const isForAgents = agentCalls.has(method);
  return (principal) => {
    const { kind, credential_id } = principal;
    if (isForAgents && (kind === 'api_key' || kind === 'oauth_token')) return undefined;
    if (kind !== 'operator' && kind !== 'service') return refusalOf(principal, access);
    return own.has(kind === 'operator' ? 'operator' : credential_id) ? undefined : 'permission_missing';
  };
}

/**
 * The fields that `update_mask` names. A named field that is absent becomes null, because proto3 has no null.
 * The type is not checked here: the contract's validation at the gateway decides which fields may be null.
 */
export function maskedFields<Fields extends object>(request: { readonly update_mask: readonly string[] }): Partial<Fields> {
  const named = request.update_mask.filter((name) => name !== 'update_mask');
  return Object.fromEntries(
    named.map((name) => [name, Object.hasOwn(request, name) ? request[name as keyof object] : null]),
  ) as Partial<Fields>;
}
