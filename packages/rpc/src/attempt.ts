import type { Principal } from '@webkiln/messages';
import type { CallResult, Headers } from './call-result.ts';
import type { Method } from './protos.ts';

/** The content of one call. */
export interface CallRequest {
  readonly method: Method;
  readonly principal: Principal;
  readonly headers: Headers;
  readonly payload: Uint8Array;
  /** Epoch milliseconds. */
  readonly deadlineAt: number;
}

/** Receives the end of an attempt. Notifications after `Attempt.cancel` must be ignored. */
export interface AttemptObserver {
  onResult(result: CallResult): void;
  /** The connection is lost. `wasSent` is true if the replica may have started to run the call. */
  onLost(reason: string, wasSent: boolean): void;
}

/** One try of a call on one replica. */
export interface Attempt {
  /** Frees the attempt's resources and tells the replica that the caller no longer waits. */
  cancel(): void;
}
