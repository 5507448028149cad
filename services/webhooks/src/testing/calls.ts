import { randomUUID } from 'node:crypto';
import type { WebhookEvent } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';

/** Nothing listens there, and it needs no DNS lookup. */
export const someHook = 'https://127.0.0.1/hook';

export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('expected a value');
  return value;
}

/** Matches an error with this code. */
export const refusal = (code: string) => expect.objectContaining({ code });

/** Caller fields that make a POST repeatable. */
export const repeatable = (): Required<Pick<Caller, 'idempotency'>> => ({
  idempotency: { id: randomUUID(), body: 'body', explicit: true },
});

/** A new webhook, with its secret. */
export async function newWebhook(org: string, wanted: { url?: string; events?: WebhookEvent[] } = {}) {
  const { webhook } = await call('webhooks.CreateWebhook', { url: someHook, events: ['client.created'], ...wanted }, testCaller(org));
  return present(webhook);
}
