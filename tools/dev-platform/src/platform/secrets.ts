import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { completeSecrets } from '@webkiln/messages/secrets';
import { newMongodbPasswords } from '@webkiln/store/users';
import * as z from 'zod';
import { writeAtomically } from './write-atomically.ts';

/** `PlatformSecrets`, as they are stored. */
const Secrets = z.object({
  KEY_PEPPER: z.string(),
  AUTH_SECRET: z.string(),
  INVITATION_SECRET: z.string(),
  WEBHOOK_SECRET_KEYS: z.string(),
  PREVIEW_SECRET: z.string(),
  OPERATOR_SIGNING_KEY: z.string(),
  signing_keys: z.record(z.string(), z.string()),
  /** The content of MongoDB's key file: base64 characters. */
  mongodb_key: z.string(),
  /** The passwords of MongoDB's users, by their variable. */
  mongodb_passwords: z.record(z.string(), z.string()),
  /** The seed of the demo's passwords and Idempotency-Keys, so that an interrupted start finds its records. */
  demo_seed: z.string(),
});

export type Secrets = z.output<typeof Secrets>;

/** The secrets of a data folder. Creates missing ones. For development only: they are stored in plain text. */
export function secretsOf(dataFolder: string): Secrets {
  const file = path.join(dataFolder, 'secrets.json');
  const kept = existsSync(file) ? Secrets.partial().parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  const stores = { mongodb_key: randomBytes(32).toString('hex'), mongodb_passwords: newMongodbPasswords() };
  const secrets: Secrets = {
    ...stores,
    demo_seed: randomBytes(32).toString('base64url'),
    ...kept,
    ...completeSecrets(kept),
    mongodb_passwords: { ...stores.mongodb_passwords, ...kept.mongodb_passwords },
  };
  if (!isDeepStrictEqual(secrets, kept)) writeAtomically(file, secrets, 0o600);
  return secrets;
}
