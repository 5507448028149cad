import { errors } from 'undici';
import { NameUnresolved, OutboundRefusal } from './refusal.ts';

const closed = 'The receiver closed the connection before it answered.';
const incompleteChain = 'The certificate of the receiver comes from an issuer that is not known, or its chain is incomplete.';
const selfSigned = 'The certificate of the receiver is self-signed.';
const unreachable = 'The network of the receiver cannot be reached.';
const noTls = 'The receiver does not speak TLS as it should.';

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  ETIMEDOUT: 'The receiver could not be connected to in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The receiver could not be connected to in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are larger than 16 KB.',
  CERT_HAS_EXPIRED: 'The certificate of the receiver has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the receiver is not valid yet.',
  CERT_REVOKED: 'The certificate of the receiver was revoked.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the receiver is for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: incompleteChain,
  UNABLE_TO_GET_ISSUER_CERT: incompleteChain,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: incompleteChain,
  EPROTO: noTls,
};

/** The sentence in which the dashboard explains why there was no response. */
export function failureReason(error: Error & { code?: string }): string {
  if (error instanceof OutboundRefusal || error instanceof NameUnresolved) return error.message;
  const { code = '' } = error;
  if (error instanceof errors.HTTPParserError) return 'The answer of the receiver is not HTTP.';
  if (code.startsWith('ERR_SSL_')) return noTls;
  return sentences[code] ?? `The connection failed${code === '' ? '' : ` (${code})`}.`;
}
