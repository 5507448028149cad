import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { callersOf, type Issuer, type Principal, rpcPeersOf, type ServiceName } from '@webkiln/messages';
import { growingTo, logger } from '@webkiln/runtime';
import { decodeJwt, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

const validSeconds = 60;
const reuseMs = 45_000;
/** A delegation is used while the message is answered, so that more of its time is left. */
const delegationReuseMs = 15_000;
const maxCachedTokens = 20_000;
const algorithm = 'EdDSA';

/** Initial metadata of a multiplexed stream: the nonce that the client must sign. */
export const nonceHeader = 'nonce';

/** A new Ed25519 pair: the issuer's private key (PKCS #8, base64) and its public key (SPKI, base64). */
export function generateSigningKey(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}

interface Signed {
  readonly token: string | Promise<string>;
  readonly reusedUntil: number;
}

type Audience = ServiceName | ServiceName[];

interface TokenOptions {
  readonly audience: Audience;
  readonly claims: JWTPayload;
  readonly reuseMs: number;
}

/** The credentials of this process for one service, as JWS (RFC 7515). */
export interface Credentials {
  /** A token that names the caller. The same principal is signed at most once in 45 s. */
  token(principal: Principal): string | Promise<string>;
  /** Proves who opened the stream with this nonce; valid for that stream only. */
  proof(nonce: string): Promise<string>;
}

/** Signs principals and stream proofs with the private key of this process. */
export class Signer {
  readonly #issuer: string;
  readonly #key: KeyObject;
  readonly #signed = new LRUCache<string, Signed>(growingTo(maxCachedTokens));

  constructor(issuer: string, signingKey: string) {
    this.#issuer = issuer;
    this.#key = createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' });
  }

  /** Credentials with `service` as their audience. */
  for(service: ServiceName): Credentials {
    return {
      token: (principal) => this.#token(principal, service),
      proof: (nonce) => this.#sign({ nonce }, service),
    };
  }

  /** A token that names the caller to the services that `forwarder` calls, and that is of use to `forwarder` alone. */
  delegation(principal: Principal, forwarder: ServiceName): string | Promise<string> {
    return this.#signedOnce(principal, { audience: rpcPeersOf(forwarder), claims: { via: forwarder }, reuseMs: delegationReuseMs });
  }

  #token(principal: Principal, service: ServiceName): string | Promise<string> {
    return this.#signedOnce(principal, { audience: service, claims: {}, reuseMs });
  }

  #signedOnce(principal: Principal, { audience, claims, reuseMs }: TokenOptions): string | Promise<string> {
    const { kind, org_id, credential_id, permissions, account_id, role, has_agency_tools, agent } = principal;
    const { user_id, client_id, project_id, scopes } = principal;
    const person = { account_id, role, has_agency_tools, user_id, client_id };
    const stated = { kind, org_id, credential_id, permissions, ...person, project_id, scopes, agent };
    const content = JSON.stringify([audience, claims, stated]);
    const now = Date.now();
    const known = this.#signed.get(content);
    if (known !== undefined && known.reusedUntil > now) return known.token;
    const reusedUntil = now + reuseMs;
    const pending = this.#sign({ principal: stated, ...claims }, audience);
    this.#signed.set(content, { token: pending, reusedUntil });
    pending.then(
      (token) => this.#signed.set(content, { token, reusedUntil }),
      () => this.#signed.delete(content),
    );
    return pending;
  }

  #sign(claims: JWTPayload, audience: Audience): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm })
      .setIssuer(this.#issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${validSeconds} s`)
      .sign(this.#key);
  }
}

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
 * True if the issuer may state this principal. The gateway speaks for keys, sessions and tokens; mcp passes on what the
 * gateway has signed for it. The command line speaks for operators, and each process for itself.
 */
function mayState(issuer: Issuer, { kind, credential_id }: Principal): boolean {
  if (kind === 'operator') return issuer === 'operator';
  if (kind === 'service') return issuer !== 'operator' && credential_id === issuer;
  return issuer === 'gateway' && ['api_key', 'session', 'oauth_token', 'embed_token'].includes(kind);
}

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
  const verified = new LRUCache<string, Verified>(growingTo(maxCachedTokens));
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
