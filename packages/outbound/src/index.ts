export { OutboundRefusal } from './addresses/guarded-connect.ts';
export { isPublicAddress } from './addresses/special-purpose.ts';
export type { OutboundAnswer } from './attempt.ts';
export { Outbound, type OutboundRequest } from './outbound.ts';
export type { OutboundRules } from './outbound-config.ts';
export { outboundConfig, outboundRules } from './outbound-config.ts';
