import { createHash } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { call, callerFor, type IncomingReply, type MethodName, operatorPrincipal, type RequestOf } from '@webkiln/rpc';
import { Passing, patiently } from './patiently.ts';

const timeoutMs = 10_000;
const retryAfterMs = 500;

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Calls services as an operator. Each call has a step of its own: the same step again finds what it made before. */
export class Operator {
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** A secret that is the same at every attempt. */
  secretFor(step: string): string {
    return digest(`${this.#seed} ${step}`).slice(0, 20);
  }

  /** Empty `orgId`: for no organization. */
  ask<M extends MethodName>(step: string, method: M, request: RequestOf<M>, orgId = ''): Promise<IncomingReply<M>> {
    const idempotency = { id: digest(`${this.#seed} ${step}`), body: digest(JSON.stringify(request)), explicit: true };
    return patiently(async () => {
      try {
        return await call(method, request, { ...callerFor(operatorPrincipal(orgId), { timeoutMs }), idempotency });
      } catch (error) {
        const passes = error instanceof AppError && (error.kind === 'unavailable' || error.code === 'request_in_flight');
        throw passes ? new Passing(error.message, retryAfterMs) : error;
      }
    });
  }
}
