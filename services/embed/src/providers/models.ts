import type { LanguageModel } from 'ai';
import type { ModelSettings } from './provider-config.ts';
import { ServerQuirks } from './request-quirks.ts';

/** A model that turns may use. */
export interface Model {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly takesImages: boolean;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Loads the AI SDK and its package of the provider's kind when it is first called. */
  readonly languageModel: () => Promise<LanguageModel>;
  /** What the model's server turned out to want, as long as the process runs. */
  readonly quirks: ServerQuirks;
}

/** The models of the configuration, the default one first. Without any the composer builds sites. */
export type Models = readonly Model[];

// The SDK would write warnings about settings to the console, beside the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** The models of the settings. Opens no connection. */
export function createModels(config: Pick<ModelSettings, 'MODEL_PROVIDERS' | 'MODEL_DEFAULT'>): Models {
  const models = config.MODEL_PROVIDERS.flatMap((provider) =>
    provider.models.map((model): Model => {
      const quirks = new ServerQuirks();
      let loaded: Promise<LanguageModel> | undefined;
      return {
        id: model.id,
        name: model.name,
        provider: provider.id,
        takesImages: model.images,
        contextTokens: model.context_tokens,
        maxOutputTokens: model.max_output_tokens,
        languageModel: () =>
          (loaded ??= import('./language-model.ts').then(({ languageModelOf }) => languageModelOf(provider, model.id, quirks))),
        quirks,
      };
    }),
  );
  const first = models.find(({ id }) => id === config.MODEL_DEFAULT);
  return first === undefined ? models : [first, ...models.filter((model) => model !== first)];
}
