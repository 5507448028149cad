import type { IncomingCaller } from './caller.ts';
import type { IncomingRequest, MethodName, ReplyOf } from './methods.ts';

/** One use case: what runs when its method is called. */
export interface UseCase<M extends MethodName = MethodName> {
  readonly method: M;
  run(request: IncomingRequest<M>, caller: IncomingCaller): Promise<ReplyOf<M>>;
}

/** Binds a use case to its method. It throws an `AppError` for what the caller should know; anything else reaches him as `internal`. */
export const handle = <M extends MethodName>(method: M, run: UseCase<M>['run']): UseCase<M> => ({ method, run });
