import { status } from '@grpc/grpc-js';
import { type Access, AppError, rolesOf } from '@webkiln/contract';
import { logger, tracing, withSpan } from '@webkiln/runtime';
import { assertMayCall } from './assert-may-call.ts';
import type { IncomingCaller, Principal } from './caller.ts';
import type { UseCase } from './handle.ts';
import { Incoming, type Waiting } from './incoming.ts';
import type { MethodName } from './methods.ts';
import { CallTimes } from './metrics.ts';
import { failure, failureOf, type Headers, type Outcome, success } from './outcome.ts';
import type { Method } from './protos.ts';

/** An encoded reply; `replayed` when it is the one of an earlier attempt. */
export type EncodedReply = Uint8Array | { readonly bytes: Uint8Array; readonly replayed: boolean };

/** Wraps the use cases of calls that may be repeated; works on encoded replies, so that they can be stored and replayed. */
export type Around = (method: MethodName, caller: IncomingCaller, run: () => Promise<Uint8Array>) => Promise<EncodedReply>;

interface DispatcherOptions {
  readonly methods: readonly Method[];
  readonly useCases: readonly UseCase[];
  readonly around: Around | undefined;
  readonly maxInFlight: number;
}

interface Served {
  readonly method: Method;
  readonly useCase: UseCase;
  /** Undefined where no endpoint names the method. */
  readonly access: Access | undefined;
  readonly times: CallTimes;
}

/** Runs use cases for calls, whichever way they came. */
export class Dispatcher {
  readonly #served: ReadonlyMap<string, Served>;
  readonly #options: DispatcherOptions;
  /** Calls whose use case has not ended yet. */
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
          access: rolesOf(method.name),
          times: new CallTimes('server', method.name),
        },
      ]),
    );
  }

  /** Never rejects: whatever goes wrong is an outcome. Without a principal whose word is proven the call is refused. */
  async dispatch(name: string, principal: Principal | undefined, headers: Headers, payload: Buffer, waiting: Waiting): Promise<Outcome> {
    const served = this.#served.get(name);
    const startedAt = performance.now();
    this.#inFlight++;
    try {
      if (served === undefined) return failure(status.UNIMPLEMENTED, `${name} is not served here`);
      if (principal === undefined) return failure(status.UNAUTHENTICATED, 'the call has no valid principal');
      const outcome = this.#refusal(waiting) ?? (await this.#authenticated(served, new Incoming(principal, headers, waiting), payload));
      served.times.observe(outcome.status === status.OK ? 'ok' : (outcome.metadata['error-code'] ?? 'refused'), startedAt);
      return outcome;
    } finally {
      this.#inFlight--;
      waiting.answered();
    }
  }

  #refusal({ deadlineAt }: Waiting): Outcome | undefined {
    if (this.#inFlight > this.#options.maxInFlight) return failure(status.RESOURCE_EXHAUSTED, 'too many calls at once');
    return deadlineAt <= Date.now() ? failure(status.DEADLINE_EXCEEDED, 'the deadline passed on the way') : undefined;
  }

  async #authenticated(served: Served, caller: Incoming, payload: Buffer): Promise<Outcome> {
    try {
      assertMayCall(caller.principal, served.access);
      const reply = await (tracing.enabled ? this.#traced(served, payload, caller) : this.#run(served, payload, caller));
      return reply instanceof Uint8Array ? success(reply, false) : success(reply.bytes, reply.replayed);
    } catch (error) {
      if (error instanceof AppError && error.code !== 'internal') return failureOf(error);
      logger.error({ err: error, method: served.method.name, request_id: caller.requestId }, 'a use case failed');
      return failureOf(new AppError('internal'));
    }
  }

  #traced(served: Served, payload: Buffer, caller: Incoming): Promise<EncodedReply> {
    const attributes = { 'rpc.system': 'grpc', 'rpc.method': served.method.name };
    return withSpan(served.method.name, { kind: 'server', attributes, parent: caller.traceparent }, () =>
      this.#run(served, payload, caller),
    );
  }

  #run({ method, useCase }: Served, payload: Buffer, caller: Incoming): Promise<EncodedReply> {
    const run = async () => method.encodeReply(await useCase.run(method.decodeRequest(payload) as Parameters<UseCase['run']>[0], caller));
    const { around } = this.#options;
    return around === undefined || caller.idempotency === undefined ? run() : around(method.name, caller, run);
  }
}
