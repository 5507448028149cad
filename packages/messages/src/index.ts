export { auditEvent } from './audit-event.ts';
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
export { contentChunkBytes } from './content-chunks.ts';
export type { Change, EventEnvelope, Events, EventType, InternalEvents, RaisedEvent } from './events.ts';
export type { EncodedReply, Interceptor } from './interceptor.ts';
export { callersOf, type Issuer, issuers, mayState } from './issuers.ts';
export { oauthMetadataPaths, oauthPaths, oauthResourcePaths } from './oauth-paths.ts';
export {
  bytesText,
  isInBytes,
  maxQuota,
  type QuotaLimits,
  type QuotaName,
  type QuotaSetting,
  quotaNames,
  quotaSetting,
  quotas,
} from './quotas.ts';
export { internalMethodsWithSecret } from './secret-methods.ts';
export {
  type AddressSetting,
  type Area,
  addressSetting,
  commonAreas,
  type DataServiceName,
  dataServiceNames,
  type HttpAddressSetting,
  type HttpServiceName,
  httpAddressSetting,
  httpServiceNames,
  type Listener,
  type PeerOf,
  type ProcessName,
  type ProcessSetting,
  processes,
  type RpcServiceName,
  rpcPeersOf,
  rpcServiceNames,
  type ServiceName,
  type StoreName,
  serviceNames,
  services,
} from './services.ts';
export { type EventStream, eventStreams, streamOf, subjectOf, subjectOnEvents } from './streams.ts';
