import type { IncomingMessage } from 'node:http';
import { AppError, embedSecretTexts } from '@webkiln/contract';
import { call } from '@webkiln/rpc';
import type { Exchange } from '../api/exchange.ts';
import { type Admission, requestsExceeded } from '../credentials/admission.ts';
import { introspectionCaller } from '../credentials/credential-cache.ts';
import { addressKey } from '../credentials/lookup-guard.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import type { SlowedRefusals } from '../rate-limit/slowed-refusals.ts';

interface Parts {
  readonly admission: Admission;
  readonly limiter: RateLimiter;
  readonly slowedRefusals: SlowedRefusals;
  /** Requests per window of an embed client. */
  readonly quota: number;
  /** Requests per window over all credentials of an organization. */
  readonly organizationQuota: number;
  readonly clientAddress: (request: IncomingMessage) => string;
}

/** An embedding program's id and secret, as it sent them. */
interface Pair {
  readonly id: string;
  readonly secret: string;
}

/** Admits requests of embedding programs, which prove themselves by id and secret. */
export class EmbedClientAdmission {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Returns the organization. A right pair counts on the quota of the embed client, a wrong one on its address. Throws
   * `invalid_embed_client`, `rate_limited` or `organization_suspended`.
   */
  async admit(exchange: Exchange, pair: Pair): Promise<string> {
    const { limiter, quota, organizationQuota, slowedRefusals } = this.#parts;
    const { org_id, suspended, requests_limit = organizationQuota } = await this.#verified(exchange, pair);
    exchange.principal = { kind: 'embed_token', org_id, credential_id: pair.id, permissions: [] };
    const state = await limiter.consume(pair.id, quota, { key: `organization:${org_id}`, quota: requests_limit });
    exchange.rateLimitState = state;
    if (!state.allowed) {
      await slowedRefusals.wait(pair.id);
      throw new AppError('rate_limited', state.isShared ? [requestsExceeded(requests_limit)] : []);
    }
    if (suspended) throw new AppError('organization_suspended');
    return org_id;
  }

  async #verified(exchange: Exchange, { id, secret }: Pair) {
    const { admission, clientAddress } = this.#parts;
    const text = embedSecretTexts.parse(secret);
    const secret_digest = text === undefined ? '' : embedSecretTexts.digest(text);
    const network = addressKey(clientAddress(exchange.request));
    try {
      return await call('identity.VerifyEmbedClient', { embed_client_id: id, secret_digest, network }, introspectionCaller());
    } catch (error) {
      await admission.consumeAddressQuota(exchange);
      throw error;
    }
  }
}
