import type { Keyring, OutcomeSealer } from '@webkiln/sealing';
import { LRUCache } from 'lru-cache';
import type { EndpointState } from './endpoint.ts';

const openedMost = 10_000;

type Sealed = Pick<EndpointState, 'org_id' | 'secret' | 'previous_secret' | 'previous_secret_until'>;

/** Endpoints' signing secrets: they lie sealed in the database, under a key per organization. */
export class SigningSecrets implements OutcomeSealer {
  readonly #keyring: Keyring;
  /** By sealed text, which is never the same for two secrets: a busy endpoint's is opened once. */
  readonly #opened = new LRUCache<string, string>({ max: openedMost });

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** A secret, `whsec_…`, as it is stored. */
  keep(orgId: string, secret: string): string {
    return this.#keyring.seal(secretOf(orgId), secret);
  }

  /** The secret that a delivery is verified by. */
  show({ org_id, secret }: Pick<Sealed, 'org_id' | 'secret'>): string {
    const known = this.#opened.get(secret);
    if (known !== undefined) return known;
    const opened = Buffer.from(this.#keyring.open(secretOf(org_id), secret)).toString();
    this.#opened.set(secret, opened);
    return opened;
  }

  /** What signs at that moment: the secret, and for a day the one before it. */
  signing(endpoint: Sealed, now: Date): string[] {
    const { org_id, previous_secret, previous_secret_until } = endpoint;
    const secrets = [this.show(endpoint)];
    if (previous_secret !== null && previous_secret_until !== null && previous_secret_until > now) {
      secrets.push(this.show({ org_id, secret: previous_secret }));
    }
    return secrets;
  }

  /** The same secret, sealed with the newest key; the text itself where it is. */
  renewed(orgId: string, sealed: string): string {
    return this.#keyring.isCurrent(sealed) ? sealed : this.keep(orgId, this.show({ org_id: orgId, secret: sealed }));
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
