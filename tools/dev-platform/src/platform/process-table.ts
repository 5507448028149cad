import {
  type AddressSetting,
  addressSetting,
  type HttpAddressSetting,
  type HttpServiceName,
  httpAddressSetting,
  httpServiceNames,
  type Listener,
  type ProcessName,
  type ProcessSetting,
  processes,
  type RpcServiceName,
  rpcPeersOf,
  type ServiceName,
} from '@webkiln/messages';
import { storeSettings } from '@webkiln/messages/secrets';
import type { StoreUrls } from '../stores/dependency.ts';

/** The settings by which services find each other: "host:port" of each gRPC and each HTTP listener. */
export type Addresses = Record<AddressSetting | HttpAddressSetting, string>;

/** The settings that a process may get besides its own ports, its signing key and the keys of its callers. */
export interface Environment extends Addresses, StoreUrls, Record<ProcessSetting, string> {}

export const processNames = Object.keys(processes) as ProcessName[];

/** The file that starts a process, relative to the repository. */
export const entryOf = (name: ProcessName) => `${name === 'gateway' ? name : `services/${name}`}/src/main.ts`;

/** The setting for the port of each listener. run.json has the port of a process's first listener. */
export const portSettings = { grpc: 'GRPC_PORT', http: 'HTTP_PORT', public: 'PORT' } as const satisfies Record<Listener, string>;

export const listenersOf = (name: ProcessName): readonly Listener[] => processes[name].listeners;

/** The setting by which others find a service's listener. */
export const addressSettingOf = (service: ServiceName, listener: Listener): keyof Addresses =>
  listener === 'http' ? httpAddressSetting(service as HttpServiceName) : addressSetting(service as RpcServiceName);

/** The settings that a process reads. */
export function settingsOf(name: ProcessName): (keyof Environment)[] {
  const { stores, settings } = processes[name];
  const http = name === 'gateway' ? httpServiceNames.map(httpAddressSetting) : [];
  return [...stores.map((store) => storeSettings[store]), ...settings, ...rpcPeersOf(name).map(addressSetting), ...http];
}
