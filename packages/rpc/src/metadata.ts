import { Metadata } from '@grpc/grpc-js';
import type { Headers } from './outcome.ts';

/** Values that are more than printable ASCII need gRPC's binary form, which is told by the name's ending. */
const printable = /^[ -~]*$/;
const binary = '-bin';

/** Headers as metadata of a plain gRPC call. */
export function metadataOf(headers: Headers): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) {
    if (printable.test(value)) metadata.set(name, value);
    else metadata.set(`${name}${binary}`, Buffer.from(value));
  }
  return metadata;
}

/** The reverse; of a repeated header the last value counts. */
export function headersIn(metadata: Metadata): Headers {
  const headers: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(metadata.getMap())) {
    if (typeof value === 'string') headers[name] = value;
    else headers[name.slice(0, -binary.length)] = value.toString();
  }
  return headers;
}
