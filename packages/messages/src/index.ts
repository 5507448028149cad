export { type AddressSetting, addressSetting, type HttpAddressSetting, httpAddressSetting } from './address-settings.ts';
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
export { Change } from './change.ts';
export { contentChunkBytes } from './content-chunks.ts';
export type { EventEnvelope, Events, EventType, InternalEvents, RaisedEvent } from './events.ts';
export { type ExportKind, exportKinds } from './export-kinds.ts';
export type { EncodedReply, Interceptor } from './interceptor.ts';
export { callersOf, type Issuer, issuers, mayState } from './issuers.ts';
export { oauthMetadataPaths, oauthPaths, oauthResourcePaths } from './oauth-paths.ts';
export { type PeerOf, type ProcessName, type ProcessSetting, processes, rpcPeersOf } from './processes.ts';
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
  type Area,
  commonAreas,
  type DataServiceName,
  dataServiceNames,
  type HttpServiceName,
  httpServiceNames,
  type Listener,
  type RpcServiceName,
  rpcServiceNames,
  type ServiceName,
  type StoreName,
  serviceNames,
  services,
} from './services.ts';
export { type EventStream, eventStreams, streamOf, subjectOf, subjectOnEvents } from './streams.ts';
