import { createHmac, generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { origin } from './browser.ts';

type Algorithm = 'ES256' | 'RS256' | 'EdDSA';

const generators: Readonly<Record<Algorithm, () => { publicKey: KeyObject; privateKey: KeyObject }>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');

/** The key of an agent that authenticates by signed assertions (RFC 7523). */
export class ClientKey {
  readonly #algorithm: Algorithm;
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };

  constructor(algorithm: Algorithm = 'ES256') {
    this.#algorithm = algorithm;
    this.#keys = generators[algorithm]();
  }

  get publicKey(): JsonWebKey {
    return this.#keys.publicKey.export({ format: 'jwk' });
  }

  get privateKey(): JsonWebKey {
    return this.#keys.privateKey.export({ format: 'jwk' });
  }

  /** The parameters of a request that proves the client, with a new assertion; undefined leaves a claim out. */
  proof(clientId: string, claims: object = {}, alg: string = this.#algorithm): Record<string, string> {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: clientId, sub: clientId, aud: origin, jti: randomUUID(), iat: now, exp: now + 300 };
    const signed = `${part({ alg, typ: 'JWT' })}.${part({ ...usual, ...claims })}`;
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${signed}.${this.#signature(signed, alg).toString('base64url')}`,
    };
  }

  /** HS256 is signed with the public key as the secret, which a verifier that mixes algorithms up would accept. */
  #signature(text: string, alg: string): Buffer {
    if (alg === 'none') return Buffer.alloc(0);
    if (alg === 'HS256')
      return createHmac('sha256', this.#keys.publicKey.export({ format: 'pem', type: 'spki' }))
        .update(text)
        .digest();
    const digest = alg === 'EdDSA' ? null : 'sha256';
    return sign(digest, Buffer.from(text), { key: this.#keys.privateKey, dsaEncoding: 'ieee-p1363' });
  }
}
