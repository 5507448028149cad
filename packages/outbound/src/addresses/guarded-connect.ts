import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { OutboundRefusal } from '../refusal.ts';
import type { AddressGuard } from './address-guard.ts';
import type { Resolve } from './resolver.ts';

const connectTimeoutMs = 10_000;

/**
 * Opens connections to checked addresses only. It resolves a name, checks all addresses and dials those, so that no
 * second DNS response can intervene. SNI and Host keep the name.
 */
export function guardedConnect(guard: AddressGuard, resolve: Resolve): buildConnector.connector {
  const checkedLookup: LookupFunction = (host, { all }, callback) => {
    resolve(host)
      .then((addresses) => {
        guard.assertAll(host, addresses);
        const checked = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) callback(null, checked);
        else callback(null, checked[0]?.address ?? '', checked[0]?.family);
      })
      .catch((error: Error) => callback(error, ''));
  };
  const connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, autoSelectFamily: true, lookup: checkedLookup });
  return (options, callback) => {
    // A literal address is dialled without a look-up.
    if (isIP(options.hostname) !== 0 && !guard.allows(options.hostname)) {
      process.nextTick(callback, new OutboundRefusal(`${options.hostname} is not a public address.`), null);
      return;
    }
    connect(options, (...outcome) => {
      const [, socket] = outcome;
      if (socket === null || socket === undefined || guard.allows(socket.remoteAddress ?? '')) return callback(...outcome);
      socket.destroy();
      callback(new OutboundRefusal(`${options.hostname} was reached at an address that is not public.`), null);
    });
  };
}
