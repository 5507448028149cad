import { type BlockList, isIPv6 } from 'node:net';
import { OutboundRefusal } from './refusal.ts';
import { isPublicAddress, subnets } from './special-purpose.ts';

/** Decides by its number whether an address may be dialled: public ones, and a platform's exceptions. */
export class AddressGuard {
  readonly #exceptions: BlockList;

  constructor(allowedCidrs: readonly string[]) {
    this.#exceptions = subnets(allowedCidrs);
  }

  allows(address: string): boolean {
    return isPublicAddress(address) || this.#exceptions.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /** Throws `OutboundRefusal` unless all addresses of a host are allowed: one that is not spoils the others. */
  assertAll(host: string, addresses: readonly string[]): void {
    if (addresses.every((address) => this.allows(address))) return;
    // Which address a name has may be known inside our network only: it is not told.
    const fault = addresses.includes(host) ? 'is not a public address' : 'resolves to an address that is not public';
    throw new OutboundRefusal(`${host} ${fault}.`);
  }
}
