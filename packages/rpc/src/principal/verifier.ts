import { createPublicKey, type KeyObject } from 'node:crypto';
import { callersOf, type Issuer, mayState, type Principal, type ServiceName } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { algorithm } from './credentials.ts';

const maxCachedTokens = 20_000;

interface Verified {
  readonly principal: Principal;
  /** The one issuer that may forward it; undefined for a token that its issuer presents itself. */
  readonly via: string | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** True if an issuer may state this principal. */
type MayState = (principal: Principal) => boolean;

/**
 * The principal of a call on a stream: the one that the caller states, if it may, else that of the delegation that it
 * forwards. Throws or rejects if it has none.
 */
export type Accept = (stated: Principal, delegation: string | undefined) => Principal | Promise<Principal>;

/** Verifies tokens and proofs; caches verified tokens until they expire. */
export interface Verifier {
  /**
   * Rejects if the token is expired or forged, its audience wrong, or its issuer may not state this principal and
   * forwards no delegation. The principal is then that of the delegation.
   */
  verify(token: string, delegation?: string): Principal | Promise<Principal>;
  /** What is accepted from the issuer of the proof. Rejects unless a trusted issuer signed this nonce. */
  verifyProof(proof: string, nonce: string): Promise<Accept>;
}

interface TrustedIssuer {
  readonly name: string;
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
    else trusted.set(issuer, { name: issuer, keys: [texts].flat().map(publicKey), mayState: rule });
  }
  const verified = new LRUCache<string, Verified>({ max: maxCachedTokens });
  const knownPrincipal = (token: string, via: string | undefined): Principal | undefined => {
    const known = verified.get(token);
    return known !== undefined && known.via === via && known.expiresAt > Date.now() ? known.principal : undefined;
  };
  const keep = (token: string, via: string | undefined, { principal, exp = 0 }: Statement): Principal => {
    verified.set(token, { principal: Object.freeze(principal), via, expiresAt: exp * 1000 });
    return principal;
  };
  const forwarded = (token: string, forwarder: string): Principal | Promise<Principal> =>
    knownPrincipal(token, forwarder) ??
    genuine<Statement>(token, 'principal', trusted, service).then(({ issuer, claims }) => {
      if (claims.via !== forwarder) throw new Error(`${forwarder} may not forward this principal`);
      if (!issuer.mayState(claims.principal)) throw refusalOf(issuer);
      return keep(token, forwarder, claims);
    });
  return {
    verify(token, delegation) {
      return (
        knownPrincipal(token, undefined) ??
        genuine<Statement>(token, 'principal', trusted, service).then(({ issuer, claims }) => {
          if (claims.via !== undefined) throw new Error(`this principal is forwarded by ${claims.via} alone`);
          if (issuer.mayState(claims.principal)) return keep(token, undefined, claims);
          if (delegation === undefined) throw refusalOf(issuer);
          return forwarded(delegation, issuer.name);
        })
      );
    },
    async verifyProof(proof, nonce) {
      const { issuer, claims } = await genuine<{ nonce: string }>(proof, 'nonce', trusted, service);
      if (claims.nonce !== nonce) throw new Error('the proof was signed for another stream');
      return (stated, delegation) => {
        if (issuer.mayState(stated)) return stated;
        if (delegation === undefined) throw refusalOf(issuer);
        return forwarded(delegation, issuer.name);
      };
    },
  };
}

interface Statement extends JWTPayload {
  readonly principal: Principal;
  readonly via?: string;
}

const refusalOf = ({ name }: TrustedIssuer) => new Error(`the issuer ${name} may not state this principal`);

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
