export {
  addressesOf,
  type CallReply,
  call,
  callAt,
  callForReply,
  closePeers,
  connectPeers,
  connectPeersOf,
  delegationOf,
  type PeersOptions,
  peerState,
} from './client/peers.ts';
export type { IncomingReply, IncomingRequest, MethodName, ReplyOf, RequestOf } from './methods.ts';
export { generateSigningKey } from './principal/credentials.ts';
export { createVerifier, type Verifier } from './principal/verifier.ts';
export { handle, type UseCase } from './server/dispatch.ts';
export { maskedFields } from './server/masked-fields.ts';
export type { OperatorMethod } from './server/own-calls.ts';
export { type ServeOptions, type Serving, serve } from './server/serve.ts';
