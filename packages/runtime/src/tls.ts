import { X509Certificate } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import * as z from 'zod';
import { logger } from './logger.ts';
import { gauge } from './metrics.ts';
import { ConfigError } from './read-config.ts';

const file = (what: string) => z.string().optional().describe(`The PEM file with ${what}; all three TLS files, or none`);

/** Mutual TLS between processes, for every gRPC and HTTP listener but the gateway's public one. */
export const tlsConfig = {
  TLS_CERT_FILE: file('the certificate chain of this process'),
  TLS_KEY_FILE: file('its private key'),
  TLS_CA_FILE: file('the certificate authorities of the other processes'),
};

type TlsConfig = z.output<z.ZodObject<typeof tlsConfig>>;

/** The names of the settings that hold the files. */
const tlsSettings = Object.keys(tlsConfig) as (keyof TlsConfig)[];

/** Kubernetes swaps all files of a mounted secret at once, but tells nobody. */
const pollIntervalMs = 10_000;

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** The content of the files, as Node's TLS options take it. */
interface TlsMaterial {
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

let identity: TlsIdentity | undefined;

/** The TLS identity of this process; undefined if its settings name no files, and then nothing uses TLS. */
export const processTls = (): TlsIdentity | undefined => identity;

gauge({
  name: 'webkiln_certificate_expires_timestamp_seconds',
  help: 'When the certificate of this process ends, in seconds since 1970; absent without mutual TLS',
  labelNames: ['subject'],
  collect() {
    this.reset();
    if (identity === undefined) return;
    const { validToDate, subjectAltName } = new X509Certificate(identity.material.cert);
    const [subject = ''] = certificateNames({ subjectaltname: subjectAltName ?? '' });
    this.set({ subject }, validToDate.getTime() / 1_000);
  },
});

/** Reads the files that the settings name, and again when they change. Throws `ConfigError`. */
export function startTls({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key, TLS_CA_FILE: ca }: TlsConfig): void {
  if (!cert && !key && !ca) return;
  if (!cert || !key || !ca) throw new ConfigError(`Set all of ${tlsSettings.join(', ')}, or none of them.`);
  try {
    identity = new TlsIdentity({ cert, key, ca });
  } catch (cause) {
    throw new ConfigError(`The files of ${tlsSettings.join(', ')} cannot be used: ${(cause as Error).message}`, { cause });
  }
  identity.watch();
}

/** The DNS names that a certificate states, from Node's `subjectaltname`: "DNS:gateway, DNS:gateway.example". */
export const certificateNames = ({ subjectaltname = '' }: { readonly subjectaltname?: string }): string[] =>
  subjectaltname
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length));
