import type { ProcessName, ServiceName } from '@webkiln/messages';
import { newSecrets, trustedKeys } from '@webkiln/messages/secrets';
import type { SecretOrder } from './secret-files.ts';

/**
 * The keys by which processes prove who calls. Those of the restarted processes change in the steps of the listed
 * secrets; the others trust both keys from the start.
 */
export class SigningKeys {
  order: SecretOrder = ['old'];
  readonly #fresh = newSecrets();
  readonly #restarted: readonly string[];

  constructor(restarted: readonly ProcessName[]) {
    this.#restarted = restarted;
  }

  readonly envOf = (service: ProcessName, { PRINCIPAL_SIGNING_KEY, PRINCIPAL_TRUSTED_KEYS }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
    const isRestarted = this.#restarted.includes(service);
    const signsFresh = isRestarted && this.order[0] === 'fresh';
    const key = { PRINCIPAL_SIGNING_KEY: signsFresh ? this.#fresh.signing_keys[service] : PRINCIPAL_SIGNING_KEY };
    if (PRINCIPAL_TRUSTED_KEYS === undefined) return key;
    const trusts = isRestarted ? this.order : ['old', 'fresh'];
    const changing = (entry: string) => this.#restarted.includes(entry.split(':')[0] ?? '');
    const old = PRINCIPAL_TRUSTED_KEYS.split(',').filter((entry) => trusts.includes('old') || !changing(entry));
    const fresh = trusts.includes('fresh')
      ? trustedKeys(this.#fresh, service as ServiceName)
          .split(',')
          .filter(changing)
      : [];
    return { ...key, PRINCIPAL_TRUSTED_KEYS: [...old, ...fresh].join(',') };
  };
}
