import { Change } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import type { Keyring, OutcomeSealer } from '@webkiln/sealing';
import { saveChange, saveWithRetry, type Tenant } from '@webkiln/store';
import { LRUCache } from 'lru-cache';
import { type EndpointState, replacedSecrets } from './endpoint.ts';
import { EndpointModel, endpointById, endpointIds, organizationsWithEndpoints } from './endpoint-store.ts';

const maxOpened = 10_000;

type Sealed = Pick<EndpointState, 'org_id' | 'secret' | 'previous_secret' | 'previous_secret_until' | 'older_secrets'>;

/** Seals and opens endpoints' signing secrets, which the database holds sealed under a key per organization. */
export class SigningSecrets implements OutcomeSealer {
  readonly #keyring: Keyring;
  /** By sealed text, which is unique: the secret of a busy endpoint is opened once. */
  readonly #opened = new LRUCache<string, string>({ max: maxOpened });

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** Seals a secret (`whsec_…`) for storage. */
  sealSecret(orgId: string, secret: string): string {
    return this.#keyring.seal(secretOf(orgId), secret);
  }

  /** Opens the secret that receivers verify deliveries with. */
  openSecret({ org_id, secret }: Pick<Sealed, 'org_id' | 'secret'>): string {
    const known = this.#opened.get(secret);
    if (known !== undefined) return known;
    const opened = Buffer.from(this.#keyring.open(secretOf(org_id), secret)).toString();
    this.#opened.set(secret, opened);
    return opened;
  }

  /** The secrets that sign at this time: the current one, and each for a day after the rotation that replaced it. */
  signing(endpoint: Sealed, now: Date): string[] {
    const { org_id } = endpoint;
    return [this.openSecret(endpoint), ...replacedSecrets(endpoint, now).map(({ secret }) => this.openSecret({ org_id, secret }))];
  }

  /** The secret sealed with the newest key; the same text if it is already. */
  renewed(orgId: string, sealed: string): string {
    return this.#keyring.isCurrent(sealed) ? sealed : this.sealSecret(orgId, this.openSecret({ org_id: orgId, secret: sealed }));
  }

  seal(orgId: string, bytes: Uint8Array): Uint8Array {
    return Buffer.from(this.#keyring.seal(outcomeOf(orgId), bytes));
  }

  open(orgId: string, sealed: Uint8Array): Uint8Array {
    return this.#keyring.open(outcomeOf(orgId), Buffer.from(sealed).toString());
  }
}

const secretOf = (orgId: string) => `webhook secrets of ${orgId}`;
const outcomeOf = (orgId: string) => `outcomes of ${orgId}`;

/**
 * Seals all secrets with the newest key. Afterwards the older keys open only idempotency outcomes of the last 24 hours.
 */
export async function resealSecrets(secrets: SigningSecrets): Promise<void> {
  let resealed = 0;
  for (const org_id of await organizationsWithEndpoints()) {
    for (const id of await endpointIds({ org_id })) if (await reseal(secrets, { org_id }, id)) resealed++;
  }
  logger.info({ resealed }, 'resealed signing secrets with the first of WEBHOOK_SECRET_KEYS');
}

const reseal = (secrets: SigningSecrets, tenant: Tenant, id: string): Promise<boolean> =>
  saveWithRetry({}, async () => {
    const current = await endpointById(tenant, id);
    if (current === null) return false;
    const secret = secrets.renewed(tenant.org_id, current.secret);
    const previous_secret = current.previous_secret && secrets.renewed(tenant.org_id, current.previous_secret);
    const { older_secrets: older = [] } = current;
    const older_secrets = older.map(({ secret, until }) => ({ secret: secrets.renewed(tenant.org_id, secret), until }));
    const areCurrent = older_secrets.every(({ secret }, index) => secret === older[index]?.secret);
    if (secret === current.secret && previous_secret === current.previous_secret && areCurrent) return false;
    await saveChange(EndpointModel, tenant, current, new Change({ secret, previous_secret, older_secrets }, []));
    return true;
  });
