import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { OperatorError } from '../operator-error.ts';

/** What is lost without each secret that stored data depends on. */
const lostWithout = {
  KEY_PEPPER: 'API keys, sessions, embed secrets and OAuth tokens',
  AUTH_SECRET: 'second factors, sessions and sent links',
  INVITATION_SECRET: 'links of invitations that were sent',
  PREVIEW_SECRET: 'addresses of previews that were handed out',
  WEBHOOK_SECRET_KEYS: 'the signing secrets of webhooks',
} as const;
type Setting = keyof typeof lostWithout;
/** The settings whose fingerprints a backup has. */
export const fingerprintedSettings = Object.keys(lostWithout) as Setting[];

export const Fingerprint = z.object({ setting: z.enum(fingerprintedSettings), id: z.string(), fingerprint: z.string() });
export type Fingerprint = z.output<typeof Fingerprint>;

/** A keyed digest of each secret in the environment, which tells nothing about it. Secrets may be lists. */
export const fingerprintsOf = (env: NodeJS.ProcessEnv): Fingerprint[] =>
  fingerprintedSettings.flatMap((setting) =>
    entriesOf(env[setting] ?? '').map(([id, secret]) => ({ setting, id, fingerprint: digestOf(secret) })),
  );

/**
 * The fingerprints of the secrets that are in use: from SECRET_FINGERPRINTS_FILE, as `secrets fingerprints` writes it,
 * so that a backup needs no secret; else of those in the environment.
 */
export function knownFingerprints(env: NodeJS.ProcessEnv): Fingerprint[] {
  const { SECRET_FINGERPRINTS_FILE: file } = env;
  if (!file) return fingerprintsOf(env);
  try {
    return z.array(Fingerprint).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new OperatorError(`SECRET_FINGERPRINTS_FILE, ${file}, is not what \`secrets fingerprints\` writes.`, { cause: error });
  }
}

/** The secrets that are not among these: a restore of the backup cannot check them. */
export const withoutFingerprint = (known: readonly Fingerprint[]): string[] =>
  fingerprintedSettings.filter((name) => !known.some(({ setting }) => setting === name));

/** Throws `OperatorError` if a secret that the backup's data depends on is not in use. */
export function assertSecretsKnown(needed: readonly Fingerprint[], env: NodeJS.ProcessEnv): void {
  const present = new Set(knownFingerprints(env).map(({ setting, fingerprint }) => `${setting} ${fingerprint}`));
  const lines = needed
    .filter(({ setting, fingerprint }) => !present.has(`${setting} ${fingerprint}`))
    .map(
      ({ setting, id }) =>
        `${setting}${id === '' ? '' : ` (${id})`} is not the one of the backup. Without it are lost: ${lostWithout[setting]}.`,
    );
  if (lines.length === 0) return;
  throw new OperatorError(
    `${lines.join('\n')}\nSet it to what it was, or restore without it by --without-secrets-check. Nothing was written.`,
  );
}

function entriesOf(text: string): [id: string, secret: string][] {
  if (text === '') return [];
  return text.split(',').map((entry) => {
    const [, id = '', secret = entry] = /^([\w-]{1,32}):(.+)$/.exec(entry) ?? [];
    return [id, secret];
  });
}

const digestOf = (secret: string) => createHmac('sha256', secret).update('webkiln backup').digest('hex').slice(0, 32);
