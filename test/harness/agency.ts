import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Permission } from '@webkiln/contract';
import { call, callerFor, closePeers, connectPeers, operatorPrincipal } from '@webkiln/rpc';
import { Api } from './api.ts';
import { sharedPlatform } from './shared-platform.ts';
import type { PlatformFacts } from './test-platform.ts';

const timeoutMs = 60_000;
const firstPauseMs = 50;
/** Who asks more often has used up the hundred requests a minute of a key before what is waited for has come. */
const longestPauseMs = 1000;

/** An organization with keys, and what its members could do on the platform beyond the public API. */
export interface Agency {
  readonly organization: { readonly id: string };
  /** With a key that may read and write. */
  readonly api: Api;
  readonly readOnly: Api;
  readonly writeOnly: Api;
  makeKey(permissions: readonly Permission[], options?: { expiresInMs?: number }): Promise<{ api: Api; keyId: string }>;
  revokeKey(keyId: string): Promise<void>;
  /** Replaces a project's draft, as the builder does. */
  writeDraft(projectId: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** The link in the newest invitation to an address, once there is one that is not `not`. */
  invitationLink(email: string, options?: { not?: string }): Promise<string>;
  eventually<T>(attempt: () => T | Promise<T>, withinMs?: number): Promise<T>;
}

export interface AgencyOptions {
  /** Which gateway its keys call; default the first. */
  readonly gateway?: number;
  /** A quota of its own, for more requests per window than the platform allows. */
  readonly rateLimit?: number;
}

/** Signs up an agency on a platform, by default the shared one. */
export async function agency(
  platform: PlatformFacts = sharedPlatform(),
  { gateway = 0, rateLimit: rate_limit }: AgencyOptions = {},
): Promise<Agency> {
  connectTo(platform);
  const name = `Agency ${crypto.randomUUID()}`;
  const made = await call('identity.CreateOrganization', { name, rate_limit }, callerFor(operatorPrincipal(), { timeoutMs }));
  const organization = { id: made.organization?.id ?? '' };
  const operator = () => callerFor(operatorPrincipal(organization.id), { timeoutMs });
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
    async writeDraft(project_id, files) {
      const contents = Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content) }));
      await call('projects.WriteDraft', { project_id, files: contents }, operator());
    },
    invitationLink: (email, { not } = {}) => eventually(() => newestLink(platform.mailFolder, email, not)),
    eventually,
  };
}

let connected: PlatformFacts['addresses'] | undefined;
// The drill runs outside jest, and ends its process itself.
if ('afterAll' in globalThis) afterAll(closePeers);

/** Peers are a process's own: it speaks to one platform at a time. */
function connectTo({ addresses, operatorKey }: PlatformFacts): void {
  if (connected?.IDENTITY_ADDRESS === addresses.IDENTITY_ADDRESS) return;
  connected = addresses;
  void closePeers();
  connectPeers({
    issuer: 'operator',
    signingKey: operatorKey,
    transport: 'carried',
    addresses: { identity: addresses.IDENTITY_ADDRESS, 'projects-templates': addresses.PROJECTS_TEMPLATES_ADDRESS },
  });
}

/** Tries until an attempt does not throw; fails with the last error when the time is up, which by itself promises nothing. */
export async function eventually<T>(attempt: () => T | Promise<T>, withinMs = 120_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.25, longestPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
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
