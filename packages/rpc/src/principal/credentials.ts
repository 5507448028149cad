import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type Principal, rpcPeersOf, type ServiceName } from '@webkiln/messages';
import { type JWTPayload, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

const validSeconds = 60;
const reuseMs = 45_000;
/** A delegation is used while the message is answered, so that more of its time is left. */
const delegationReuseMs = 15_000;
const maxCachedTokens = 20_000;
export const algorithm = 'EdDSA';

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
  readonly #signed = new LRUCache<string, Signed>({ max: maxCachedTokens });

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
    const { kind, org_id, credential_id, permissions, account_id, role, user_id, client_id, agent } = principal;
    const stated = { kind, org_id, credential_id, permissions, account_id, role, user_id, client_id, agent };
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
