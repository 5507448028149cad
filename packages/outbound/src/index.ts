export { Outbound, type OutboundRequest } from './outbound.ts';
export type { OutboundAnswer } from './outbound-answer.ts';
export { outboundConfig, outboundRules } from './outbound-config.ts';
export type { OutboundRules } from './outbound-rules.ts';
export { OutboundRefusal } from './refusal.ts';
