import { runPeriodically, type SecretList } from '@webkiln/runtime';
import type Provider from 'oidc-provider';
import { createProvider, type ProviderOptions } from './provider.ts';
import { loadKeys } from './store/rotating-keys.ts';

const reloadMs = 60_000;

type Handle = ReturnType<Provider['callback']>;

/** The authorization server with the keys of the moment: a rotation makes a new one, which the next request gets. */
export class CurrentProvider {
  #provider: Provider;
  #handle: Handle;
  #version: string;
  readonly #stop: () => void;

  private constructor(provider: Provider, version: string, reload: () => Promise<void>) {
    this.#provider = provider;
    this.#handle = provider.callback();
    this.#version = version;
    this.#stop = runPeriodically({ everyMs: reloadMs, name: 'reading the keys of the authorization server' }, reload);
  }

  get current(): Provider {
    return this.#provider;
  }

  /** Serves a request by the library. */
  get handle(): Handle {
    return this.#handle;
  }

  stop(): void {
    this.#stop();
  }

  /** Reads the keys, and makes them if this is the first start. */
  static async start(options: ProviderOptions, secrets: SecretList): Promise<CurrentProvider> {
    const keys = await loadKeys(secrets);
    const server: CurrentProvider = new CurrentProvider(createProvider(options, keys), keys.version, async () => {
      const latest = await loadKeys(secrets);
      if (latest.version === server.#version) return;
      server.#provider = createProvider(options, latest);
      server.#handle = server.#provider.callback();
      server.#version = latest.version;
    });
    return server;
  }
}
