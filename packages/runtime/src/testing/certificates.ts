import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generate } from 'selfsigned';
import type { TlsFiles } from '../tls.ts';

/** The content of a process's three files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** A certificate authority of a test. */
export class Authority {
  readonly cert: string;
  readonly #key: string;

  private constructor(cert: string, key: string) {
    this.cert = cert;
    this.#key = key;
  }

  static async create(name = 'Test authority'): Promise<Authority> {
    const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
    return new Authority(cert, key);
  }

  /** A certificate for servers and clients with these DNS names and the address 127.0.0.1. */
  async issue(...names: string[]): Promise<Certificate> {
    const { cert, private: key } = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      ca: { cert: this.cert, key: this.#key },
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'keyUsage', digitalSignature: true },
        { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
        { name: 'subjectAltName', altNames: [...names.map((value) => ({ type: 2 as const, value })), { type: 7, ip: '127.0.0.1' }] },
      ],
    });
    return { cert, key, ca: this.cert };
  }
}

/** A mounted secret as Kubernetes makes it: its files are links through `..data`, which `replace` swaps atomically. */
export class MountedCertificate implements Disposable {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'webkiln-tls-'));
  readonly files: TlsFiles;
  #versions = 0;

  constructor(certificate: Certificate) {
    this.replace(certificate);
    const link = (name: string) => {
      symlinkSync(path.join('..data', name), path.join(this.folder, name));
      return path.join(this.folder, name);
    };
    this.files = { cert: link('tls.crt'), key: link('tls.key'), ca: link('ca.crt') };
  }

  /** The settings that name the files. */
  get env() {
    const { cert, key, ca } = this.files;
    return { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, TLS_CA_FILE: ca };
  }

  replace({ cert, key, ca }: Certificate): void {
    const version = `..version-${++this.#versions}`;
    const folder = path.join(this.folder, version);
    mkdirSync(folder);
    for (const [name, text] of Object.entries({ 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca })) {
      writeFileSync(path.join(folder, name), text);
    }
    symlinkSync(version, path.join(this.folder, '..next'));
    renameSync(path.join(this.folder, '..next'), path.join(this.folder, '..data'));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
