import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { ModelSettings, ProviderConfig } from './provider-config.ts';
import { providerFetch } from './provider-fetch.ts';

/** A model that turns may use. */
export interface Model {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly takesImages: boolean;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly languageModel: LanguageModel;
}

/** The models of the configuration, the default one first. Without any the composer builds sites. */
export type Models = readonly Model[];

// The SDK would write warnings about settings to the console, beside the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

function languageModelsOf(provider: ProviderConfig): (id: string) => LanguageModel {
  // Always given: an empty key must not make the SDK look for one in the environment.
  const apiKey = provider.api_key ?? 'none';
  return provider.kind === 'anthropic'
    ? createAnthropic({ apiKey, baseURL: provider.base_url ?? 'https://api.anthropic.com/v1', fetch: providerFetch })
    : createOpenAICompatible({ name: provider.id, apiKey, baseURL: provider.base_url, includeUsage: true, fetch: providerFetch });
}

/** The models of the settings. Opens no connection. */
export function createModels(config: Pick<ModelSettings, 'MODEL_PROVIDERS' | 'MODEL_DEFAULT'>): Models {
  const models = config.MODEL_PROVIDERS.flatMap((provider): Model[] => {
    const languageModel = languageModelsOf(provider);
    return provider.models.map((model) => ({
      id: model.id,
      name: model.name,
      provider: provider.id,
      takesImages: model.images,
      contextTokens: model.context_tokens,
      maxOutputTokens: model.max_output_tokens,
      languageModel: languageModel(model.id),
    }));
  });
  const first = models.find(({ id }) => id === config.MODEL_DEFAULT);
  return first === undefined ? models : [first, ...models.filter((model) => model !== first)];
}
