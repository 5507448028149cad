import { createPublicKey, type KeyObject } from 'node:crypto';
import { decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Principal } from './caller.ts';
import { algorithm } from './credentials.ts';
import type { ServiceName } from './methods.ts';

const rememberedMost = 20_000;

interface Verified {
  readonly principal: Principal;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Finds out who is calling; remembers tokens until they expire. */
export interface Verifier {
  /** Throws, or rejects, for a token that is expired, meant for another service, from an unknown issuer or not genuine. */
  verify(token: string): Principal | Promise<Principal>;
  /** Rejects for a proof that is not a trusted issuer's own over this nonce. */
  verifyProof(proof: string, nonce: string): Promise<void>;
}

/** Believes the issuers in `trustedKeys` (public keys, base64 of SPKI; several while one changes) in what they say to `service`. */
export function createVerifier({
  service,
  trustedKeys,
}: {
  service: ServiceName;
  trustedKeys: Readonly<Record<string, string | readonly string[]>>;
}): Verifier {
  const keys = new Map(Object.entries(trustedKeys).map(([issuer, texts]) => [issuer, [texts].flat().map(publicKey)]));
  const verified = new LRUCache<string, Verified>({ max: rememberedMost });
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
      if (signed !== nonce) throw new Error('the proof is for another stream');
    },
  };
}

type TrustedKeys = ReadonlyMap<string, readonly KeyObject[]>;

/** What a token says, if a trusted issuer says it to this service now. */
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
