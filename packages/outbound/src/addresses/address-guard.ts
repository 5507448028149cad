import { type BlockList, isIPv6 } from 'node:net';
import { OutboundRefusal } from '../refusal.ts';
import { isPublicAddress, subnets } from './special-purpose.ts';

/** Allows connections to public addresses and to the platform's exceptions. */
export class AddressGuard {
  readonly #exceptions: BlockList;

  constructor(allowedCidrs: readonly string[]) {
    this.#exceptions = subnets(allowedCidrs);
  }

  allows(address: string): boolean {
    return isPublicAddress(address) || this.#exceptions.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /** Throws `OutboundRefusal` unless all addresses of a host are allowed. */
  assertAll(host: string, addresses: readonly string[]): void {
    if (addresses.every((address) => this.allows(address))) return;
    // The message omits the address, which may be known only inside our network.
    const fault = addresses.includes(host) ? 'is not a public address' : 'resolves to an address that is not public';
    throw new OutboundRefusal(`${host} ${fault}.`);
  }
}
