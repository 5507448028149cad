import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { callersOf } from './caller.ts';
import { type ProcessName, processes, rpcPeersOf, type ServiceName, type StoreName } from './services.ts';

/** The secrets of a platform. */
export interface PlatformSecrets {
  /** The pepper of stored API keys, in base64. */
  readonly KEY_PEPPER: string;
  /** Signs session cookies and the links in sign-in mails. */
  readonly AUTH_SECRET: string;
  /** Seals activation links. */
  readonly INVITATION_SECRET: string;
  /** Encrypts the stored signing secrets of webhooks: `id:base64`. */
  readonly WEBHOOK_SECRET_KEYS: string;
  /** Derives the addresses of previews. */
  readonly PREVIEW_SECRET: string;
  /** The signing key of operators. */
  readonly OPERATOR_SIGNING_KEY: string;
  /** The signing key of each process, by name. */
  readonly signing_keys: Readonly<Record<string, string>>;
}

/** Addresses with credentials in them, by their setting. */
export type SecretUrls = Readonly<Record<(typeof storeSettings)[StoreName], string>> & { readonly SMTP_URL?: string };

/** The setting that holds the URL of each store. */
export const storeSettings = { mongodb: 'MONGODB_URL', nats: 'NATS_URL', redis: 'REDIS_URL' } as const satisfies Record<StoreName, string>;

/** Fresh secrets, each of 32 random bytes or an Ed25519 key. */
export const newSecrets = (): PlatformSecrets => ({
  KEY_PEPPER: randomBytes(32).toString('base64'),
  AUTH_SECRET: randomBytes(32).toString('base64url'),
  INVITATION_SECRET: randomBytes(32).toString('base64url'),
  WEBHOOK_SECRET_KEYS: `first:${randomBytes(32).toString('base64')}`,
  PREVIEW_SECRET: randomBytes(32).toString('base64url'),
  OPERATOR_SIGNING_KEY: newSigningKey(),
  signing_keys: Object.fromEntries(Object.keys(processes).map((name) => [name, newSigningKey()])),
});

/** The secrets that are there already, and fresh ones for those that are missing, as after an upgrade. */
export function completeSecrets(kept: Partial<PlatformSecrets>): PlatformSecrets {
  const made = newSecrets();
  return { ...made, ...kept, signing_keys: { ...made.signing_keys, ...kept.signing_keys } };
}

/** In the format of `generateSigningKey` in @webkiln/rpc, which is slow to load. */
const newSigningKey = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

/** The callers of a service and their keys, in the format of PRINCIPAL_TRUSTED_KEYS. */
export function trustedKeys({ signing_keys, OPERATOR_SIGNING_KEY }: PlatformSecrets, service: ServiceName): string {
  const keys: Readonly<Record<string, string>> = { ...signing_keys, operator: OPERATOR_SIGNING_KEY };
  return callersOf(service)
    .map((issuer) => `${issuer}:${publicKeyOf(keys[issuer] ?? '')}`)
    .join(',');
}

function publicKeyOf(privateKey: string): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
}

/** The secret settings of one process: what its row in services.ts says that it needs, and no other's. */
export function secretsOfProcess(name: ProcessName, secrets: PlatformSecrets, urls: SecretUrls): Record<string, string> {
  const { stores, settings, egress } = processes[name];
  const own = Object.entries(secrets).filter(([setting]) => (settings as readonly string[]).includes(setting));
  const { SMTP_URL } = urls;
  return {
    ...Object.fromEntries(stores.map((store) => [storeSettings[store], urls[storeSettings[store]]])),
    ...(rpcPeersOf(name).length > 0 && { PRINCIPAL_SIGNING_KEY: secrets.signing_keys[name] }),
    ...(name !== 'gateway' && { PRINCIPAL_TRUSTED_KEYS: trustedKeys(secrets, name) }),
    ...Object.fromEntries(own),
    ...((egress as readonly string[]).includes('mail') && SMTP_URL !== undefined && { SMTP_URL }),
  };
}
