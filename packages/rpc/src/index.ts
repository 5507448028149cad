export {
  type Caller,
  callerFor,
  type Idempotency,
  type IncomingCaller,
  onBehalf,
  operatorPrincipal,
  type Principal,
  servicePrincipal,
} from './caller.ts';
export { generateSigningKey } from './credentials.ts';
export type { Around, EncodedReply } from './dispatch.ts';
export { handle, type UseCase } from './handle.ts';
export { maskedFields } from './masked-fields.ts';
export {
  type IncomingReply,
  type IncomingRequest,
  type MethodName,
  type ReplyOf,
  type RequestOf,
  type ServiceName,
  services,
} from './methods.ts';
export { type CallReply, call, callForReply, closePeers, connectPeers, type PeersOptions, peerState } from './peers.ts';
export { type ServeOptions, type Serving, serve } from './serve.ts';
export { createVerifier, type Verifier } from './verifier.ts';
