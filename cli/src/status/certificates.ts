import { connect } from 'node:tls';
import type { ProcessState } from './processes.ts';

const timeoutMs = 5_000;

export interface CertificateState {
  /** The process or the public address that shows it. */
  readonly of: string;
  readonly expires_at: string | null;
  /** Why a browser would not accept it, or why nobody was shown it. */
  readonly error: string | null;
}

/** The certificates by which processes prove their names, and those of the public addresses in the environment. */
export async function certificatesOf(processes: readonly ProcessState[]): Promise<CertificateState[]> {
  const own = processes.flatMap(({ name, samples }) =>
    samples
      .filter(({ metric }) => metric === 'webkiln_certificate_expires_timestamp_seconds')
      .map(({ value }) => ({ of: name, expires_at: new Date(value * 1_000).toISOString(), error: null })),
  );
  const { ORIGIN, SITES_ORIGIN, PREVIEW_ORIGIN } = process.env;
  // One wildcard certificate serves every site: any name below the address has it.
  const hosts = [...secureHosts(ORIGIN, ''), ...secureHosts(SITES_ORIGIN, 'status.'), ...secureHosts(PREVIEW_ORIGIN, 'status.')];
  return [...own, ...(await Promise.all(hosts.map(publicCertificate)))];
}

interface Host {
  readonly host: string;
  readonly port: number;
}

function secureHosts(origin: string | undefined, label: string): Host[] {
  const url = URL.parse(origin ?? '');
  return url?.protocol === 'https:' ? [{ host: label + url.hostname, port: Number(url.port || 443) }] : [];
}

function publicCertificate({ host, port }: Host): Promise<CertificateState> {
  return new Promise((resolve) => {
    // It is looked at even if it is invalid, and nothing is sent.
    const socket = connect({ host, port, servername: host, rejectUnauthorized: false, timeout: timeoutMs });
    const done = (expires_at: string | null, error: string | null) => {
      socket.destroy();
      resolve({ of: host, expires_at, error });
    };
    socket.once('secureConnect', () => {
      const { valid_to } = socket.getPeerCertificate();
      done(new Date(valid_to).toISOString(), socket.authorized ? null : String(socket.authorizationError));
    });
    socket.once('timeout', () => done(null, 'no answer'));
    socket.once('error', (error) => done(null, error.message));
  });
}
