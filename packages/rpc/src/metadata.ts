import { Metadata } from '@grpc/grpc-js';
import type { Headers } from './call-result.ts';

/** Values beyond printable ASCII need gRPC's binary form, which the suffix of the name marks. */
const printable = /^[ -~]*$/;
const binary = '-bin';

/** Converts headers to the metadata of a plain gRPC call. */
export function metadataOf(headers: Headers): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) {
    if (printable.test(value)) metadata.set(name, value);
    else metadata.set(`${name}${binary}`, Buffer.from(value));
  }
  return metadata;
}

/** The reverse of `metadataOf`. The last value of a repeated header counts. */
export function headersIn(metadata: Metadata): Headers {
  const headers: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(metadata.getMap())) {
    if (typeof value === 'string') headers[name] = value;
    else headers[name.slice(0, -binary.length)] = value.toString();
  }
  return headers;
}
