import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Principal } from './caller.ts';
import type { ServiceName } from './methods.ts';

const validSeconds = 60;
const reusedForMs = 45_000;
const rememberedMost = 20_000;
const algorithm = 'EdDSA';

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

/** States to one service who is calling, as a JWS (RFC 7515) of this process; a busy credential is signed once in 45 s. */
export class Signer {
  readonly #issuer: string;
  readonly #key: KeyObject;
  readonly #signed = new LRUCache<string, Signed>({ max: rememberedMost });

  constructor(issuer: string, signingKey: string) {
    this.#issuer = issuer;
    this.#key = createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' });
  }

  token(principal: Principal, service: ServiceName): string | Promise<string> {
    const { kind, org_id, credential_id, permissions } = principal;
    const content = JSON.stringify([service, kind, org_id, credential_id, permissions]);
    const now = Date.now();
    const known = this.#signed.get(content);
    if (known !== undefined && known.reusedUntil > now) return known.token;
    const reusedUntil = now + reusedForMs;
    const pending = this.#sign({ kind, org_id, credential_id, permissions }, service);
    this.#signed.set(content, { token: pending, reusedUntil });
    pending.then(
      (token) => this.#signed.set(content, { token, reusedUntil }),
      () => this.#signed.delete(content),
    );
    return pending;
  }

  #sign(principal: Principal, service: ServiceName): Promise<string> {
    return new SignJWT({ principal })
      .setProtectedHeader({ alg: algorithm })
      .setIssuer(this.#issuer)
      .setAudience(service)
      .setIssuedAt()
      .setExpirationTime(`${validSeconds} s`)
      .sign(this.#key);
  }
}

interface Verified {
  readonly principal: Principal;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Finds out who is calling; remembers tokens until they expire. */
export interface Verifier {
  /** Throws, or rejects, for a token that is expired, meant for another service, from an unknown issuer or not genuine. */
  verify(token: string): Principal | Promise<Principal>;
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
      return verifyNew(token, keys, service).then((fresh) => {
        verified.set(token, fresh);
        return fresh.principal;
      });
    },
  };
}

async function verifyNew(token: string, keys: ReadonlyMap<string, readonly KeyObject[]>, audience: ServiceName): Promise<Verified> {
  const issuer = decodeJwt(token).iss ?? '';
  let refusal: unknown = new Error(`the issuer ${issuer} is not trusted`);
  for (const key of keys.get(issuer) ?? []) {
    try {
      const options = { algorithms: [algorithm], issuer, audience, requiredClaims: ['exp', 'principal'] };
      const { payload } = await jwtVerify<{ principal: Principal }>(token, key, options);
      return { principal: Object.freeze(payload.principal), expiresAt: (payload.exp ?? 0) * 1000 };
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

const publicKey = (text: string) => createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
