export {
  type Caller,
  callerFor,
  callersOf,
  type EncodedReply,
  type Idempotency,
  type IncomingCaller,
  type Interceptor,
  type Issuer,
  issuers,
  mayState,
  onBehalf,
  operatorPrincipal,
  type Principal,
  servicePrincipal,
} from './caller.ts';
export { Change } from './change.ts';
export { contentChunkBytes } from './content-chunks.ts';
export { actorOf, auditEvent, type EventEnvelope, type Events, type EventType, type InternalEvents, type RaisedEvent } from './events.ts';
export { type ExportKind, exportKinds } from './export-kinds.ts';
export { oauthMetadataPaths, oauthPaths, oauthResourcePaths } from './oauth-paths.ts';
export {
  bytesText,
  dailyMessagesWithoutPlan,
  isInBytes,
  joinedShareOf,
  maxQuota,
  type QuotaLimits,
  type QuotaName,
  type QuotaSetting,
  quotaNames,
  quotaSetting,
  quotas,
} from './quotas.ts';
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
  internalMethodsWithSecret,
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
