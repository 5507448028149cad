import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { Exchange } from './answer.ts';
import { assertPlace, authenticate } from './authenticate.ts';
import type { KeyUse } from './key-use.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Verdict, Verdicts } from './verdicts.ts';

interface Parts {
  readonly keys: Verdicts;
  readonly sessions: Verdicts;
  readonly keyUse: KeyUse;
  readonly limiter: RateLimiter;
  /** Requests per window of a key that has no quota of its own, or of an address without a credential. */
  readonly quota: number;
  /** Of somebody who is signed in. */
  readonly sessionQuota: number;
  readonly origin: string;
  readonly clientAddress: (request: IncomingMessage) => string;
}

/** Lets requests into the API: who is calling, how often, from where. */
export class Admission {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Who is calling, counted against the quota; those without a valid credential count by their address. */
  async admit(exchange: Exchange): Promise<Verdict> {
    const { limiter, keyUse, quota, sessionQuota, origin } = this.#parts;
    let verdict: Verdict;
    try {
      verdict = await authenticate(exchange.request, this.#parts);
    } catch (refusal) {
      await this.takeOfAddress(exchange);
      throw refusal;
    }
    const { kind, credential_id } = verdict.principal;
    const isSession = kind === 'session';
    exchange.principal = verdict.principal;
    exchange.standing = await limiter.take(credential_id, isSession ? sessionQuota : (verdict.rateLimit ?? quota));
    if (!exchange.standing.allowed) throw new AppError('rate_limited');
    if (!isSession) keyUse.record(verdict);
    assertPlace(exchange.request, verdict, origin);
    return verdict;
  }

  /** Counts a request that needs no credential against its address. */
  async takeOfAddress(exchange: Exchange): Promise<void> {
    exchange.standing = await this.#parts.limiter.take(this.#addressOf(exchange), this.#parts.quota);
    if (!exchange.standing.allowed) throw new AppError('rate_limited');
  }

  /** Tells an address how it stands, and counts nothing. */
  async lookAtAddress(exchange: Exchange): Promise<void> {
    exchange.standing = await this.#parts.limiter.look(this.#addressOf(exchange), this.#parts.quota);
  }

  #addressOf({ request }: Exchange): string {
    return `address:${this.#parts.clientAddress(request)}`;
  }
}
