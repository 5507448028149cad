import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The listed secrets. */
export const settings = ['KEY_PEPPER', 'AUTH_SECRET', 'INVITATION_SECRET', 'PREVIEW_SECRET', 'WEBHOOK_SECRET_KEYS'] as const;

/** What a list holds: the first makes what is new, each verifies. */
export type SecretOrder = readonly ('old' | 'fresh')[];

/** Files with the secrets of a platform, which its processes read when they start. */
export class SecretFiles {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'webkiln-secrets-'));
  readonly #secrets = Object.fromEntries(
    settings.map((name) => [name, { old: randomBytes(32).toString('base64'), fresh: randomBytes(32).toString('base64') }]),
  );

  constructor() {
    this.write(['old']);
  }

  get env(): NodeJS.ProcessEnv {
    return Object.fromEntries(settings.map((name) => [`${name}_FILE`, path.join(this.#folder, name)]));
  }

  /** Lists the secrets in this order. */
  write(order: SecretOrder): void {
    for (const [name, secrets] of Object.entries(this.#secrets))
      writeFileSync(path.join(this.#folder, name), `${order.map((id) => `${id}:${secrets[id]}`).join(',')}\n`, { mode: 0o600 });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
