/** For services that answer visitors over HTTP themselves. */
export { acceptedEncoding, type Encoding } from './accepted-encoding.ts';
export { isKnown } from './is-known.ts';
export { visitorAddress } from './visitor-address.ts';
