import { createPublicKey, type KeyObject } from 'node:crypto';
import { callersOf, type Issuer, mayState, type Principal, type ServiceName } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { algorithm } from './credentials.ts';

const maxCachedTokens = 20_000;

interface Verified {
  readonly principal: Principal;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** True if an issuer may state this principal. */
export type MayState = (principal: Principal) => boolean;

/** Verifies tokens and proofs; caches verified tokens until they expire. */
export interface Verifier {
  /** Rejects if the token is expired or forged, its audience wrong, or its issuer may not state this principal. */
  verify(token: string): Principal | Promise<Principal>;
  /** The statements that the issuer of the proof may make. Rejects unless a trusted issuer signed this nonce. */
  verifyProof(proof: string, nonce: string): Promise<MayState>;
}

interface TrustedIssuer {
  readonly keys: readonly KeyObject[];
  readonly mayState: MayState;
}

/** The statements that a service accepts from an issuer; undefined if the issuer does not call it. */
const ruleFor =
  (service: ServiceName) =>
  (issuer: string): MayState | undefined =>
    callersOf(service).includes(issuer as Issuer) ? (principal) => mayState(issuer as Issuer, principal) : undefined;

/**
 * Trusts those issuers in `trustedKeys` that call `service`, which is also the audience; ignores the others. Keys are
 * SPKI, base64; several per issuer during a key change.
 */
export function createVerifier({
  service,
  trustedKeys,
  ruleOf = ruleFor(service),
}: {
  service: ServiceName;
  trustedKeys: Readonly<Record<string, string | readonly string[]>>;
  ruleOf?: (issuer: string) => MayState | undefined;
}): Verifier {
  const trusted = new Map<string, TrustedIssuer>();
  for (const [issuer, texts] of Object.entries(trustedKeys)) {
    const rule = ruleOf(issuer);
    if (rule === undefined) logger.warn({ issuer, service }, 'ignoring the trusted key of an issuer that does not call this service');
    else trusted.set(issuer, { keys: [texts].flat().map(publicKey), mayState: rule });
  }
  const verified = new LRUCache<string, Verified>({ max: maxCachedTokens });
  return {
    verify(token) {
      const known = verified.get(token);
      if (known !== undefined && known.expiresAt > Date.now()) return known.principal;
      return genuine<{ principal: Principal }>(token, 'principal', trusted, service).then(({ issuer, claims: { principal, exp = 0 } }) => {
        if (!issuer.mayState(principal)) throw new Error(`the issuer ${decodeJwt(token).iss} may not state this principal`);
        verified.set(token, { principal: Object.freeze(principal), expiresAt: exp * 1000 });
        return principal;
      });
    },
    async verifyProof(proof, nonce) {
      const { issuer, claims } = await genuine<{ nonce: string }>(proof, 'nonce', trusted, service);
      if (claims.nonce !== nonce) throw new Error('the proof was signed for another stream');
      return issuer.mayState;
    },
  };
}

interface Genuine<Claims> {
  readonly issuer: TrustedIssuer;
  readonly claims: Claims & JWTPayload;
}

/** A token's claims and issuer. Rejects unless a trusted issuer signed it for this audience and it is not expired. */
async function genuine<Claims>(
  token: string,
  claim: string,
  trusted: ReadonlyMap<string, TrustedIssuer>,
  audience: ServiceName,
): Promise<Genuine<Claims>> {
  const name = decodeJwt(token).iss ?? '';
  const issuer = trusted.get(name);
  if (issuer === undefined) throw new Error(`the issuer ${name} is not trusted`);
  let refusal: unknown;
  for (const key of issuer.keys) {
    try {
      const options = { algorithms: [algorithm], issuer: name, audience, requiredClaims: ['exp', claim] };
      return { issuer, claims: (await jwtVerify<Claims>(token, key, options)).payload };
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

const publicKey = (text: string) => createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
