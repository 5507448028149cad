import { TlsIdentity } from '../tls.ts';
import { type Certificate, MountedCertificate } from './certificates.ts';

const reloadMs = 10;

/** Certificates of a test's processes, as files that are looked at every 10 ms until `release`. */
export class MountedIdentities {
  readonly #mounts: MountedCertificate[] = [];
  readonly #identities: TlsIdentity[] = [];

  mount(certificate: Certificate): { readonly mount: MountedCertificate; readonly tls: TlsIdentity } {
    const mount = new MountedCertificate(certificate);
    const tls = new TlsIdentity(mount.files);
    tls.watch(reloadMs);
    this.#mounts.push(mount);
    this.#identities.push(tls);
    return { mount, tls };
  }

  release(): void {
    for (const identity of this.#identities.splice(0)) identity.close();
    for (const mount of this.#mounts.splice(0)) mount[Symbol.dispose]();
  }
}
