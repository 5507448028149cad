/** For services that serve bytes over HTTP themselves. */
export { acceptedEncoding, type Encoding } from './accepted-encoding.ts';
export { isKnown } from './is-known.ts';
