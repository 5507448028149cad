import { createHash } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { callerFor, operatorPrincipal } from '@webkiln/messages';
import { call, type IncomingReply, type MethodName, type RequestOf } from '@webkiln/rpc';
import { RetryableError, retryTemporaryFailures } from './retry.ts';

const timeoutMs = 10_000;
const retryAfterMs = 500;

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Calls services as an operator. The step names the call: repeating a step finds the record of the first attempt. */
export class Operator {
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** Derives a secret that is the same on every attempt. */
  secretFor(step: string): string {
    return digest(`${this.#seed} ${step}`).slice(0, 20);
  }

  /** Calls for one organization, or for none if `orgId` is empty. */
  ask<M extends MethodName>(step: string, method: M, request: RequestOf<M>, orgId = ''): Promise<IncomingReply<M>> {
    const idempotency = { id: digest(`${this.#seed} ${step}`), body: digest(JSON.stringify(request)), explicit: true };
    return retryTemporaryFailures(async () => {
      try {
        return await call(method, request, { ...callerFor(operatorPrincipal(orgId), { timeoutMs }), idempotency });
      } catch (error) {
        const isTemporary = error instanceof AppError && (error.kind === 'unavailable' || error.code === 'request_in_flight');
        throw isTemporary ? new RetryableError(error.message, retryAfterMs) : error;
      }
    });
  }
}
