import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Flags of the authenticator data (WebAuthn §6.1). */
const userPresent = 0x01;
const userVerified = 0x04;
const attestedCredential = 0x40;

/** The parts of a WebAuthn ceremony that tests vary. */
export interface CeremonyOptions {
  /** Origin of the page, as the browser reports it. */
  readonly origin: string;
  /** False if the device did not verify its user; true by default. */
  readonly isUserVerified?: boolean;
  /** Signature counter; 0 by default. */
  readonly counter?: number;
  /** Replaces the user handle that the passkey was created with (base64url). */
  readonly userHandle?: string;
}

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** A software authenticator with one ES256 passkey, which can also produce invalid responses. */
export class Authenticator {
  readonly id = randomBytes(16).toString('base64url');
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  #userHandle = '';

  /** Returns the result of `navigator.credentials.create` as JSON. */
  create({ challenge, rp, user }: CreationOptions, ceremony: CeremonyOptions) {
    this.#userHandle = user.id;
    const credentialId = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([0, credentialId.length]);
    const key = Buffer.concat([Buffer.alloc(16), length, credentialId, this.#coseKey()]);
    const authData = Buffer.concat([authenticatorData(rp.id, attestedCredential, ceremony), key]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
      ...[cborText('authData'), cborBytes(authData)],
    ]).toString('base64url');
    return this.#credential({ clientDataJSON: clientData('webauthn.create', challenge, ceremony), attestationObject });
  }

  /** Returns the result of `navigator.credentials.get` as JSON. */
  get({ challenge, rpId }: RequestOptions, ceremony: CeremonyOptions) {
    const clientDataJSON = clientData('webauthn.get', challenge, ceremony);
    const data = authenticatorData(rpId, 0, ceremony);
    const signed = Buffer.concat([data, createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()]);
    return this.#credential({
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: ceremony.userHandle ?? this.#userHandle,
    });
  }

  #credential<T>(response: T) {
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  /** The public key in COSE form (RFC 9052 §7): {1: EC2, 3: ES256, -1: P-256, -2: x, -3: y}. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const [left, right] = [x, y].map((part) => cborBytes(Buffer.from(part, 'base64url')));
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]);
    return Buffer.concat([head, left ?? head, Buffer.from([0x22]), right ?? head]);
  }
}

const clientData = (type: string, challenge: string, { origin }: CeremonyOptions) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url');

function authenticatorData(rpId: string, flags: number, { isUserVerified = true, counter = 0 }: CeremonyOptions): Buffer {
  const signCount = Buffer.alloc(4);
  signCount.writeUInt32BE(counter);
  const flagByte = Buffer.from([flags | userPresent | (isUserVerified ? userVerified : 0)]);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), flagByte, signCount]);
}

const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
const cborBytes = (bytes: Buffer) => Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);
