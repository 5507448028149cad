import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Principal, ServiceName } from '@webkiln/messages';
import { decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { algorithm } from './credentials.ts';

const maxCachedTokens = 20_000;

interface Verified {
  readonly principal: Principal;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Verifies tokens and proofs; caches verified tokens until they expire. */
export interface Verifier {
  /** Rejects if the token is expired or forged, or if its audience or issuer is wrong. */
  verify(token: string): Principal | Promise<Principal>;
  /** Rejects unless a trusted issuer signed this nonce. */
  verifyProof(proof: string, nonce: string): Promise<void>;
}

/**
 * Trusts the issuers in `trustedKeys`: SPKI public keys, base64; several per issuer during a key change. `service` is
 * the audience.
 */
export function createVerifier({
  service,
  trustedKeys,
}: {
  service: ServiceName;
  trustedKeys: Readonly<Record<string, string | readonly string[]>>;
}): Verifier {
  const keys = new Map(Object.entries(trustedKeys).map(([issuer, texts]) => [issuer, [texts].flat().map(publicKey)]));
  const verified = new LRUCache<string, Verified>({ max: maxCachedTokens });
  return {
    verify(token) {
      const known = verified.get(token);
      if (known !== undefined && known.expiresAt > Date.now()) return known.principal;
      return genuine<{ principal: Principal }>(token, 'principal', keys, service).then(({ principal, exp = 0 }) => {
        verified.set(token, { principal: Object.freeze(principal), expiresAt: exp * 1000 });
        return principal;
      });
    },
    async verifyProof(proof, nonce) {
      const { nonce: signed } = await genuine<{ nonce: string }>(proof, 'nonce', keys, service);
      if (signed !== nonce) throw new Error('the proof was signed for another stream');
    },
  };
}

type TrustedKeys = ReadonlyMap<string, readonly KeyObject[]>;

/** The claims of a token. Rejects unless a trusted issuer signed it for this audience and it has not expired. */
async function genuine<Claims>(token: string, claim: string, keys: TrustedKeys, audience: ServiceName): Promise<Claims & JWTPayload> {
  const issuer = decodeJwt(token).iss ?? '';
  let refusal: unknown = new Error(`the issuer ${issuer} is not trusted`);
  for (const key of keys.get(issuer) ?? []) {
    try {
      const options = { algorithms: [algorithm], issuer, audience, requiredClaims: ['exp', claim] };
      return (await jwtVerify<Claims>(token, key, options)).payload;
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

const publicKey = (text: string) => createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
