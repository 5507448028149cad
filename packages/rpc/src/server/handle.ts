import type { IncomingCaller } from '@webkiln/messages';
import type { IncomingRequest, MethodName, ReplyOf } from '../methods.ts';

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
