import { ConfigError } from '../read-config.ts';
import { type TlsConfig, tlsSettings } from './tls-config.ts';
import { TlsIdentity } from './tls-identity.ts';

let identity: TlsIdentity | undefined;

/** The TLS identity of this process; undefined if its settings name no files, and then nothing uses TLS. */
export const processTls = (): TlsIdentity | undefined => identity;

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
