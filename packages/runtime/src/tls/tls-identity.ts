import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { logger } from '../logger.ts';

/** Kubernetes swaps all files of a mounted secret at once, but tells nobody. */
const pollIntervalMs = 10_000;

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** The content of the files, as Node's TLS options take it. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}

/**
 * The certificate by which this process proves its name to others, and the authorities that prove theirs. Emits
 * `change` when the files have new, valid content: connections made from then on use it, others go on.
 */
export class TlsIdentity extends EventEmitter<{ change: [] }> {
  #material: TlsMaterial;
  #context: SecureContext;
  readonly #files: TlsFiles;
  /** The last content that cannot be used: it is reported once. */
  #broken: TlsMaterial | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Reads the files. Throws if they cannot be read, or if the key is not the certificate's. */
  constructor(files: TlsFiles) {
    super();
    this.setMaxListeners(0);
    this.#files = files;
    this.#material = read(files);
    this.#context = createSecureContext(this.#material);
  }

  get material(): TlsMaterial {
    return this.#material;
  }

  get context(): SecureContext {
    return this.#context;
  }

  /** Looks for new content every 10 s. */
  watch(everyMs = pollIntervalMs): void {
    this.#timer = setInterval(() => this.#reload(), everyMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #reload(): void {
    let found: TlsMaterial | undefined;
    try {
      found = read(this.#files);
      if (isSame(found, this.#material) || isSame(found, this.#broken)) return;
      this.#context = createSecureContext(found);
    } catch (err) {
      this.#broken = found;
      logger.error({ err, files: this.#files }, 'the TLS files cannot be used; going on with the earlier ones, and looking again');
      return;
    }
    this.#broken = undefined;
    this.#material = found;
    logger.info({ files: this.#files }, 'the TLS files have changed; new connections use them');
    this.emit('change');
  }
}

const read = ({ cert, key, ca }: TlsFiles): TlsMaterial => ({ cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) });

const isSame = (one: TlsMaterial, other: TlsMaterial | undefined) =>
  other !== undefined && one.cert.equals(other.cert) && one.key.equals(other.key) && one.ca.equals(other.ca);
