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
export { JsonReply } from './methods.ts';
export { createVerifier, generateSigningKey, type Verifier } from './principal/principal.ts';
export { handle, maskedFields, type UseCase } from './server/dispatch.ts';
export type { OperatorMethod } from './server/own-calls.ts';
export { type ServeOptions, type Serving, serve } from './server/serve.ts';
