import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What an authenticator says of itself and its user (WebAuthn §6.1, flags). */
const present = 0x01;
const unlocked = 0x04;
const withKey = 0x40;

export interface Circumstances {
  /** The page that asks, as the browser tells of it. */
  readonly origin: string;
  /** False: nobody proved to the device to be its owner. */
  readonly isUnlocked?: boolean;
  readonly counter?: number;
  /** In place of the user that the passkey was made for. */
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

/** A device with one passkey (ES256), as exact or as wrong as a test wants it. */
export class Authenticator {
  readonly id = randomBytes(16).toString('base64url');
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  #userHandle = '';

  /** What `navigator.credentials.create` gives, as JSON. */
  create({ challenge, rp, user }: CreationOptions, circumstances: Circumstances) {
    this.#userHandle = user.id;
    const credentialId = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([0, credentialId.length]);
    const key = Buffer.concat([Buffer.alloc(16), length, credentialId, this.#coseKey()]);
    const authData = Buffer.concat([authenticatorData(rp.id, withKey, circumstances), key]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
      ...[cborText('authData'), cborBytes(authData)],
    ]).toString('base64url');
    return this.#credential({ clientDataJSON: clientData('webauthn.create', challenge, circumstances), attestationObject });
  }

  /** What `navigator.credentials.get` gives, as JSON. */
  get({ challenge, rpId }: RequestOptions, circumstances: Circumstances) {
    const clientDataJSON = clientData('webauthn.get', challenge, circumstances);
    const data = authenticatorData(rpId, 0, circumstances);
    const signed = Buffer.concat([data, createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()]);
    return this.#credential({
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: circumstances.userHandle ?? this.#userHandle,
    });
  }

  #credential<T>(response: T) {
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  /** RFC 9052 §7: {1: EC2, 3: ES256, -1: P-256, -2: x, -3: y}. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const [left, right] = [x, y].map((part) => cborBytes(Buffer.from(part, 'base64url')));
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]);
    return Buffer.concat([head, left ?? head, Buffer.from([0x22]), right ?? head]);
  }
}

const clientData = (type: string, challenge: string, { origin }: Circumstances) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url');

function authenticatorData(rpId: string, flags: number, { isUnlocked = true, counter = 0 }: Circumstances): Buffer {
  const counted = Buffer.alloc(4);
  counted.writeUInt32BE(counter);
  const said = Buffer.from([flags | present | (isUnlocked ? unlocked : 0)]);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), said, counted]);
}

const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
const cborBytes = (bytes: Buffer) => Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);
