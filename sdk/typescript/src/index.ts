export type * from '../gen/schemas.ts';
export { type Answer, Call, Page, PageCall } from './call.ts';
export { ChatCall, ChatStream } from './chat-stream.ts';
export { chatTransport } from './chat-transport.ts';
export { ApiError, ConnectionError, TimeoutError, WebhookVerificationError, WebkilnError } from './errors.ts';
export type { CallOptions, Request } from './transport.ts';
export { signWebhook, verifyWebhook } from './webhooks.ts';
export { Webkiln, type WebkilnOptions } from './webkiln.ts';
