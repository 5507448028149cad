import { defaultSettingsMiddleware, type LanguageModel, wrapLanguageModel } from 'ai';
import { chatStream } from './chat-stream.ts';
import type { ProviderConfig } from './provider-config.ts';
import { providerFetch } from './provider-fetch.ts';
import { adapted, askedFor, type ChatRequest, type QuirkName, type ServerQuirks } from './request-quirks.ts';

/** Statuses that no other form of the request changes. */
const final = new Set([401, 402, 403, 408, 429]);
const maxComplaintCharacters = 4_000;

/**
 * A fetch for chat completions. It sends requests as the server of the model wants them: where one is refused with
 * words that ask for another form, it is sent in that form. A form that was taken is remembered in `quirks`. Answers
 * come as the stream that the SDK reads.
 */
const chatFetch =
  (quirks: ServerQuirks): typeof fetch =>
  async (input, init) => {
    const body = JSON.parse(String(init?.body)) as ChatRequest;
    const wanted: QuirkName[] = [];
    for (;;) {
      const sent = adapted(body, quirks, wanted);
      const response = await providerFetch(input, { ...init, body: JSON.stringify(sent) });
      if (response.ok) {
        for (const name of wanted) quirks.names.add(name);
        return chatStream(response, quirks);
      }
      if (final.has(response.status)) return response;
      const complaint = await response.text();
      const asked = askedFor(complaint.slice(0, maxComplaintCharacters), sent, [...quirks.names, ...wanted], quirks);
      if (asked === undefined) return new Response(complaint, response);
      wanted.push(asked);
    }
  };

type Kind = ProviderConfig['kind'];
type ConfigOf<K extends Kind> = Extract<ProviderConfig, { kind: K }>;
type Load<K extends Kind> = (
  provider: ConfigOf<K>,
  apiKey: string,
  fetch: typeof globalThis.fetch,
) => Promise<(id: string) => LanguageModel>;

/** OpenAI must not keep what it is asked: what a provider gets is the person's. */
const notStored = defaultSettingsMiddleware({ settings: { providerOptions: { openai: { store: false } } } });

/**
 * The AI SDK's package of each kind, loaded when a model of that kind is first used. Every address is given: without
 * one the packages look into the environment.
 */
const load: { readonly [K in Kind]: Load<K> } = {
  'openai-compatible': async ({ id: name, base_url }, apiKey, fetch) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({ name, apiKey, baseURL: base_url, includeUsage: true, fetch });
  },
  anthropic: async ({ base_url: baseURL = 'https://api.anthropic.com/v1' }, apiKey, fetch) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ apiKey, baseURL, fetch });
  },
  openai: async ({ base_url: baseURL = 'https://api.openai.com/v1' }, apiKey, fetch) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const openai = createOpenAI({ apiKey, baseURL, fetch });
    return (id) => wrapLanguageModel({ model: openai.responses(id), middleware: notStored });
  },
  google: async ({ base_url: baseURL = 'https://generativelanguage.googleapis.com/v1beta' }, apiKey, fetch) => {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI({ apiKey, baseURL, fetch });
  },
  mistral: async ({ base_url: baseURL = 'https://api.mistral.ai/v1' }, apiKey, fetch) => {
    const { createMistral } = await import('@ai-sdk/mistral');
    return createMistral({ apiKey, baseURL, fetch });
  },
  // Every deployment has chat completions; only those of OpenAI's models have responses.
  azure: async ({ base_url: baseURL, api_version: apiVersion }, apiKey, fetch) => {
    const { createAzure } = await import('@ai-sdk/azure');
    return createAzure({ apiKey, baseURL, ...(apiVersion !== undefined && { apiVersion }), fetch }).chat;
  },
  bedrock: async (provider, apiKey, fetch) => {
    const { region, access_key_id: accessKeyId, base_url: baseURL = `https://bedrock-runtime.${region}.amazonaws.com` } = provider;
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    return accessKeyId === undefined
      ? createAmazonBedrock({ region, apiKey, baseURL, fetch })
      : createAmazonBedrock({ region, apiKey: '', accessKeyId, secretAccessKey: apiKey, baseURL, fetch });
  },
};

/** The kinds that speak chat completions, which servers answer in many ways. */
const chatKinds: ReadonlySet<Kind> = new Set(['openai-compatible', 'mistral', 'azure']);

/** The model `id` of a provider. Its requests obey and fill `quirks`. */
export async function languageModelOf(provider: ProviderConfig, id: string, quirks: ServerQuirks): Promise<LanguageModel> {
  // Always given: an empty key must not make the SDK look for one in the environment.
  const apiKey = provider.api_key ?? 'none';
  const fetch = chatKinds.has(provider.kind) ? chatFetch(quirks) : providerFetch;
  return (await (load[provider.kind] as Load<Kind>)(provider, apiKey, fetch))(id);
}
