import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Permission } from '@webkiln/contract';
import { callerFor, operatorPrincipal } from '@webkiln/messages';
import { call, closePeers, connectPeers, peerState } from '@webkiln/rpc';
import { within } from '@webkiln/runtime';
import { Api } from './api.ts';
import { writeDraft } from './operator.ts';
import { sharedPlatform } from './shared-platform.ts';
import type { PlatformFacts } from './test-platform.ts';

const callTimeoutMs = 60_000;
/** How long the last attempt may take beyond the deadline. */
const hungAfterMs = 20_000;
/** Much less than the minute for which gateways keep credentials: what they refuse by then was broadcast to them. */
export const broadcastMs = 20_000;
const initialPauseMs = 50;
/** Polling at a steady rate must stay below the 100 requests per minute of a key. */
const maxPauseMs = 1000;

/** An organization with API keys, and operations on it that the public API does not have. */
export interface Agency {
  readonly organization: { readonly id: string };
  /** The API with a key that can read and write. */
  readonly api: Api;
  /** The API with a read-only key. */
  readonly readOnly: Api;
  /** The API with a write-only key. */
  readonly writeOnly: Api;
  makeKey(permissions: readonly Permission[], options?: { expiresInMs?: number }): Promise<{ api: Api; keyId: string }>;
  revokeKey(keyId: string): Promise<void>;
  /** Replaces the draft of a project, as the builder does. */
  writeDraft(projectId: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** Waits for an invitation mail to the address; returns its link, which differs from `not`. */
  invitationLink(email: string, options?: { not?: string }): Promise<string>;
  eventually<T>(attempt: () => T | Promise<T>, timeoutMs?: number): Promise<T>;
}

export interface AgencyOptions {
  /** Index of the gateway that the keys call; the first by default. */
  readonly gateway?: number;
  /** Requests per window of each key, instead of the platform's default. */
  readonly rateLimit?: number;
}

/** Creates an organization with keys on a platform, by default the shared one. */
export async function agency(
  platform: PlatformFacts = sharedPlatform(),
  { gateway = 0, rateLimit: rate_limit }: AgencyOptions = {},
): Promise<Agency> {
  connectTo(platform);
  await eventually(() => {
    if (peerState('identity') !== 'ready') throw new Error('identity is not connected');
  });
  const name = `Agency ${crypto.randomUUID()}`;
  const created = await call(
    'identity.CreateOrganization',
    { name, rate_limit },
    callerFor(operatorPrincipal(), { timeoutMs: callTimeoutMs }),
  );
  const organization = { id: created.organization?.id ?? '' };
  const operator = () => callerFor(operatorPrincipal(organization.id), { timeoutMs: callTimeoutMs });
  const makeKey: Agency['makeKey'] = async (permissions, { expiresInMs } = {}) => {
    const expires_at = expiresInMs === undefined ? null : new Date(Date.now() + expiresInMs).toISOString();
    const { key, secret } = await call('identity.CreateKey', { name: 'test', permissions, expires_at }, operator());
    return { api: new Api(`${platform.origins[gateway]}/api/v1`, secret), keyId: key?.id ?? '' };
  };
  const [full, read, write] = await Promise.all([makeKey(['read', 'write']), makeKey(['read']), makeKey(['write'])]);
  return {
    organization,
    api: full.api,
    readOnly: read.api,
    writeOnly: write.api,
    makeKey,
    async revokeKey(key_id) {
      await call('identity.RevokeKey', { key_id }, operator());
    },
    async writeDraft(projectId, files) {
      await writeDraft(organization.id, projectId, files);
    },
    invitationLink: (email, { not } = {}) => eventually(() => newestLink(platform.mailFolder, email, not)),
    eventually,
  };
}

let connected: PlatformFacts['addresses'] | undefined;
// The drill runs outside jest and exits its process itself.
if ('afterAll' in globalThis) afterAll(closePeers);

/** Connects the RPC peers. They are process-wide, so a test process talks to one platform at a time. */
function connectTo({ addresses, operatorKey }: PlatformFacts): void {
  if (connected?.IDENTITY_ADDRESS === addresses.IDENTITY_ADDRESS) return;
  connected = addresses;
  void closePeers();
  connectPeers({
    issuer: 'operator',
    signingKey: operatorKey,
    transport: 'carried',
    addresses: {
      identity: addresses.IDENTITY_ADDRESS,
      'projects-templates': addresses.PROJECTS_TEMPLATES_ADDRESS,
      embed: addresses.EMBED_ADDRESS,
    },
  });
}

/**
 * Retries until the attempt does not throw; after `timeoutMs` it throws the last error, also if an attempt hangs. The
 * timeout proves nothing.
 */
export async function eventually<T>(attempt: () => T | Promise<T>, timeoutMs = 120_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last = new Error(`the first attempt did not end within ${timeoutMs} ms`);
  for (let pauseMs = initialPauseMs; ; pauseMs = Math.min(pauseMs * 1.25, maxPauseMs)) {
    try {
      return await within(deadline - performance.now() + hungAfterMs, attempt(), () => last);
    } catch (error) {
      last = error as Error;
      if (performance.now() > deadline) throw error;
      await pause(pauseMs);
    }
  }
}

function newestLink(folder: string, email: string, not: string | undefined): string {
  const mails = readdirSync(folder).filter((name) => name.includes(email));
  const texts = mails
    .sort()
    .map((name) => readFileSync(path.join(folder, name), 'utf8').replaceAll('=\r\n', '').replaceAll('=\n', '').replaceAll('=3D', '='));
  const link = /http\S+\/activate\?token=[\w.-]+/.exec(texts.at(-1) ?? '')?.[0];
  if (link === undefined || link === not) throw new Error(`no new invitation to ${email}`);
  return link;
}

/** Sorts entries of the audit log by their time, oldest first: they may be stored in another order. */
export const byTime = (one: { readonly at: string }, other: { readonly at: string }): number => one.at.localeCompare(other.at);
