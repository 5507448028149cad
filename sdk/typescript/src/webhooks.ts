import type { WebhookEvent } from '../gen/schemas.ts';
import { WebhookVerificationError } from './errors.ts';

type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
type Body = string | Uint8Array | ArrayBuffer;

interface VerifyOptions {
  /** How old a delivery may be, and how far ahead its clock. */
  readonly toleranceSeconds?: number;
}

/**
 * The event that was posted to a webhook's address, once its signature is proved (Standard Webhooks 1.0). `body` is
 * what arrived, before anything parsed it; of several secrets any may have signed. Throws `WebhookVerificationError`.
 */
export async function verifyWebhook(
  body: Body,
  headers: GivenHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`));
  if (!id || !timestamp || !signature) throw new WebhookVerificationError('The headers webhook-id, -timestamp and -signature are missing.');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  // Also if it is no number.
  if (!(age <= toleranceSeconds)) throw new WebhookVerificationError('The timestamp is too old, or ahead of this clock.');
  const sent = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), sent);
  const signatures = signature.split(' ').flatMap((one) => (one.startsWith('v1,') ? [bytesOf(one.slice(3))] : []));
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const key = await keyOf(secret, 'verify');
    for (const given of signatures) {
      if (await crypto.subtle.verify('HMAC', key, given, signed)) return JSON.parse(new TextDecoder().decode(sent));
    }
  }
  throw new WebhookVerificationError('No signature fits: it is not from the platform, was changed, or the secret is another.');
}

/** The three headers that sign a body as the platform does, for tests of a receiver. */
export async function signWebhook(body: string, secret: string, id: string = crypto.randomUUID()): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), signed));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${btoa(String.fromCharCode(...mac))}` };
}

function headerOf(headers: GivenHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}

function keyOf(secret: string, use: 'sign' | 'verify') {
  const key = bytesOf(secret.replace(/^whsec_/, ''));
  if (key.length === 0) throw new WebhookVerificationError('The secret is whsec_ and its base64.');
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

/** The bytes of base64, none if it is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
