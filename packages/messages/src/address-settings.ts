import type { HttpServiceName, RpcServiceName } from './services.ts';

type Constant<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Uppercase<First>}_${Constant<Rest>}`
  : Uppercase<Name>;
/** The setting that holds "host:port" of a service's gRPC listener: `CLIENTS_PLANS_ADDRESS`. */
export type AddressSetting<S extends RpcServiceName = RpcServiceName> = `${Constant<S>}_ADDRESS`;
/** The setting that holds "host:port" of a service's HTTP listener: `SITES_HTTP_ADDRESS`. */
export type HttpAddressSetting<S extends HttpServiceName = HttpServiceName> = `${Constant<S>}_HTTP_ADDRESS`;

const constant = (name: string) => name.toUpperCase().replaceAll('-', '_');
export const addressSetting = <S extends RpcServiceName>(service: S) => `${constant(service)}_ADDRESS` as AddressSetting<S>;
export const httpAddressSetting = <S extends HttpServiceName>(service: S) => `${constant(service)}_HTTP_ADDRESS` as HttpAddressSetting<S>;
