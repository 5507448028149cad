import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { callersOf, type ServiceName } from '@webkiln/messages';
import * as z from 'zod';
import { processNames } from './process-table.ts';
import { writeAtomically } from './write-atomically.ts';

const Secrets = z.object({
  /** The pepper of stored API keys, in base64. */
  KEY_PEPPER: z.string(),
  /** Signs session cookies and the links in sign-in mails. */
  AUTH_SECRET: z.string(),
  /** Seals activation links. */
  INVITATION_SECRET: z.string(),
  /** Encrypts the stored signing secrets of webhooks: `id:base64`. */
  WEBHOOK_SECRET_KEYS: z.string(),
  /** Derives the addresses of previews. */
  PREVIEW_SECRET: z.string(),
  /** The signing key of operators and of the demo. */
  OPERATOR_SIGNING_KEY: z.string(),
  /** The signing key of each process, by name. */
  signing_keys: z.record(z.string(), z.string()),
  /** The seed of the demo's passwords and Idempotency-Keys, so that an interrupted start finds its records. */
  demo_seed: z.string(),
});

export type Secrets = z.output<typeof Secrets>;

/** The secrets of a data folder. Creates missing ones. For development only: they are stored in plain text. */
export function secretsOf(dataFolder: string): Secrets {
  const file = path.join(dataFolder, 'secrets.json');
  const kept = existsSync(file) ? Secrets.partial().parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  const made = newSecrets();
  const secrets: Secrets = { ...made, ...kept, signing_keys: { ...made.signing_keys, ...kept.signing_keys } };
  if (!isDeepStrictEqual(secrets, kept)) writeAtomically(file, secrets, 0o600);
  return secrets;
}

const newSecrets = (): Secrets => ({
  KEY_PEPPER: randomBytes(32).toString('base64'),
  AUTH_SECRET: randomBytes(32).toString('base64url'),
  INVITATION_SECRET: randomBytes(32).toString('base64url'),
  WEBHOOK_SECRET_KEYS: `first:${randomBytes(32).toString('base64')}`,
  PREVIEW_SECRET: randomBytes(32).toString('base64url'),
  OPERATOR_SIGNING_KEY: newSigningKey(),
  signing_keys: Object.fromEntries(processNames.map((name) => [name, newSigningKey()])),
  demo_seed: randomBytes(32).toString('base64url'),
});

/** In the format of `generateSigningKey` in @webkiln/rpc, which is slow to load. */
const newSigningKey = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

/** The callers of a service and their keys, in the format of PRINCIPAL_TRUSTED_KEYS. */
export function trustedKeys({ signing_keys, OPERATOR_SIGNING_KEY }: Secrets, service: ServiceName): string {
  const keys: Readonly<Record<string, string>> = { ...signing_keys, operator: OPERATOR_SIGNING_KEY };
  return callersOf(service)
    .map((issuer) => `${issuer}:${publicKeyOf(keys[issuer] ?? '')}`)
    .join(',');
}

function publicKeyOf(privateKey: string): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
}
