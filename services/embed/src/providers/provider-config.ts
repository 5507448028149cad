import { readFileSync } from 'node:fs';
import { secret, wholeNumber } from '@webkiln/runtime';
import * as z from 'zod';

const Model = z.strictObject({
  id: z.string().min(1).max(200),
  name: z.string().min(1).max(100),
  images: z.boolean().default(false),
  context_tokens: z.int().min(8_000).max(100_000_000),
  max_output_tokens: z.int().min(1_000).max(1_000_000).default(16_000),
});

const baseUrl = z.url({ protocol: /^https?$/, error: 'must be a URL such as https://api.example.com/v1' });
const keys = { api_key: z.string().min(1).max(4_000).optional(), api_key_file: z.string().min(1).optional() };
const common = { id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/), ...keys, models: z.array(Model).min(1).max(50) };
const region = z.string().regex(/^[a-z]{2}(?:-[a-z0-9]+){2,3}$/, { error: 'must be a region such as eu-central-1' });

const Provider = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('openai-compatible'), base_url: baseUrl }),
  z.strictObject({ ...common, kind: z.literal('anthropic'), base_url: baseUrl.optional() }),
  z.strictObject({ ...common, kind: z.literal('openai'), base_url: baseUrl.optional() }),
  z.strictObject({ ...common, kind: z.literal('google'), base_url: baseUrl.optional() }),
  z.strictObject({ ...common, kind: z.literal('mistral'), base_url: baseUrl.optional() }),
  z.strictObject({ ...common, kind: z.literal('azure'), base_url: baseUrl, api_version: z.string().min(1).max(40).optional() }),
  z.strictObject({
    ...common,
    kind: z.literal('bedrock'),
    region,
    base_url: baseUrl.optional(),
    access_key_id: z.string().min(1).max(200).optional(),
  }),
]);

/** A provider with its key; each model has an id that no other model of the platform has. */
export type ProviderConfig = z.output<typeof Provider>;

/** Parses a JSON list of providers. Issues name the place that is wrong and never show a value. */
function parseProviders(json: string, context: z.RefinementCtx): ProviderConfig[] {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return refuse('must be JSON: a list of providers, as docs/models.md shows');
  }
  const { success, data = [], error } = z.array(Provider).max(20).safeParse(value);
  if (!success) return refuse(error.issues.map(({ path, message }) => `at ${path.join('.') || 'the list'}: ${message}`).join('; '));
  const half = data.findIndex((each) => each.kind === 'bedrock' && each.access_key_id !== undefined && !each.api_key && !each.api_key_file);
  if (half !== -1) return refuse(`at ${half}: access_key_id needs its secret access key as api_key or api_key_file`);
  try {
    return data.map((provider) => withKey(provider));
  } catch {
    return refuse('names an api_key_file that cannot be read');
  }
}

const withKey = (provider: ProviderConfig): ProviderConfig =>
  provider.api_key_file === undefined ? provider : { ...provider, api_key: readFileSync(provider.api_key_file, 'utf8').trim() };

/** The settings of models; without providers the composer builds sites. */
export const modelsConfig = {
  MODEL_PROVIDERS: z.string().transform(parseProviders).default([]).describe('JSON: the model providers and their keys').meta(secret),
  MODEL_DEFAULT: z.string().optional().describe('The id of the model that turns use by default; without it the first one'),
  MODEL_STALL_SECONDS: wholeNumber(1, 600, ' of seconds').default(60).describe('A turn ends when its model sends nothing for so long'),
  MODEL_TURN_SECONDS: wholeNumber(1, 3_600, ' of seconds').default(600).describe('A turn of a model ends after this time'),
};

/** The settings of models, as a process has read them. */
export type ModelSettings = z.output<z.ZodObject<typeof modelsConfig>>;

const modelIds = (config: ModelSettings) => config.MODEL_PROVIDERS.flatMap(({ models }) => models.map(({ id }) => id));

/** The refinement of a configuration with models: ids are unique, and the default is one of them. */
export function checkModels(config: ModelSettings, context: z.RefinementCtx): void {
  const refuse = (setting: keyof ModelSettings, message: string) => context.addIssue({ code: 'custom', path: [setting], message });
  const ids = modelIds(config);
  const names = config.MODEL_PROVIDERS.map(({ id }) => id);
  if (new Set(ids).size < ids.length || new Set(names).size < names.length)
    refuse('MODEL_PROVIDERS', 'must give every provider and every model an id of its own');
  if (config.MODEL_DEFAULT !== undefined && !ids.includes(config.MODEL_DEFAULT))
    refuse('MODEL_DEFAULT', 'must be the id of a model in MODEL_PROVIDERS');
}
