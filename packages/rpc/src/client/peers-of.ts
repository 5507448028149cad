import { type AddressSetting, addressSetting, type PeerOf, type ProcessName, rpcPeersOf } from '@webkiln/messages';
import { Address } from '@webkiln/runtime';
import { connectPeers } from './peers.ts';
import type { Transport } from './replica.ts';

/** The settings with the addresses of the peers in the row of `process`. */
export const addressesOf = <P extends ProcessName>(process: P) =>
  Object.fromEntries(rpcPeersOf(process).map((peer) => [addressSetting(peer), Address])) as {
    [S in PeerOf<P> as AddressSetting<S>]: typeof Address;
  };

type PeersConfig<P extends ProcessName> = Readonly<Record<AddressSetting<PeerOf<P>>, string>> & {
  readonly PRINCIPAL_SIGNING_KEY: string;
  readonly RPC_TRANSPORT: Transport;
};

/** Connects to the peers in the row of `process`, as its configuration says. */
export function connectPeersOf<P extends ProcessName>(process: P, config: PeersConfig<P>): void {
  const addresses: Readonly<Record<string, string>> = config;
  connectPeers({
    issuer: process,
    signingKey: config.PRINCIPAL_SIGNING_KEY,
    transport: config.RPC_TRANSPORT,
    addresses: Object.fromEntries(rpcPeersOf(process).map((peer) => [peer, addresses[addressSetting(peer)]])),
  });
}
