import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Principal } from './caller.ts';
import type { ServiceName } from './methods.ts';

const validSeconds = 60;
const reusedForMs = 45_000;
const rememberedMost = 20_000;
export const algorithm = 'EdDSA';

/** In a replica's initial metadata: what whoever opens a stream to it has to sign. */
export const nonceHeader = 'nonce';

/** A new Ed25519 pair: the issuer's private key (base64 of PKCS #8) and what others verify with (base64 of SPKI). */
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

/** What this process shows to one service, as JWS (RFC 7515). */
export interface Credentials {
  /** States who is calling; a busy credential is signed once in 45 s. */
  token(principal: Principal): string | Promise<string>;
  /** States who opens the stream that has this nonce, good for that stream only. */
  proof(nonce: string): Promise<string>;
}

/** Signs what this process says of itself and of its callers. */
export class Signer {
  readonly #issuer: string;
  readonly #key: KeyObject;
  readonly #signed = new LRUCache<string, Signed>({ max: rememberedMost });

  constructor(issuer: string, signingKey: string) {
    this.#issuer = issuer;
    this.#key = createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' });
  }

  /** What is said to one service. */
  for(service: ServiceName): Credentials {
    return {
      token: (principal) => this.#token(principal, service),
      proof: (nonce) => this.#sign({ nonce }, service),
    };
  }

  #token(principal: Principal, service: ServiceName): string | Promise<string> {
    const { kind, org_id, credential_id, permissions, account_id, role, user_id, client_id } = principal;
    const stated = { kind, org_id, credential_id, permissions, account_id, role, user_id, client_id };
    const content = JSON.stringify([service, stated]);
    const now = Date.now();
    const known = this.#signed.get(content);
    if (known !== undefined && known.reusedUntil > now) return known.token;
    const reusedUntil = now + reusedForMs;
    const pending = this.#sign({ principal: stated }, service);
    this.#signed.set(content, { token: pending, reusedUntil });
    pending.then(
      (token) => this.#signed.set(content, { token, reusedUntil }),
      () => this.#signed.delete(content),
    );
    return pending;
  }

  #sign(claims: JWTPayload, service: ServiceName): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm })
      .setIssuer(this.#issuer)
      .setAudience(service)
      .setIssuedAt()
      .setExpirationTime(`${validSeconds} s`)
      .sign(this.#key);
  }
}
