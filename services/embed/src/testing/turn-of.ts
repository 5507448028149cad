import { type TurnContext, TurnFailure, type TurnOutcome, type TurnPart } from '../engines/engine.ts';
import { createModelEngine } from '../engines/model/model-engine.ts';
import { SiteChecks } from '../engines/model/site-checks.ts';
import { WorkingCopy } from '../engines/working-copy.ts';
import { createModels, type Models } from '../providers/models.ts';
import { modelsConfig } from '../providers/provider-config.ts';

/** The key of the scripted provider: no stream, prompt or log may contain it. */
export const providerKey = 'sk-scripted-4e1f7c';

/** Models of both wire formats: `chat`, which is the default and takes images, `plain` and `messages`. */
export const scriptedProviders = (url: string): string =>
  JSON.stringify([
    {
      id: 'scripted',
      kind: 'openai-compatible',
      base_url: url,
      api_key: providerKey,
      models: [
        { id: 'chat', name: 'Chat', images: true, context_tokens: 128_000 },
        { id: 'plain', name: 'Plain', context_tokens: 8_000 },
      ],
    },
    {
      id: 'other',
      kind: 'anthropic',
      base_url: url,
      api_key: providerKey,
      models: [{ id: 'messages', name: 'Messages', context_tokens: 200_000 }],
    },
  ]);

export const scriptedModels = (url: string): Models =>
  createModels({ MODEL_PROVIDERS: modelsConfig.MODEL_PROVIDERS.parse(scriptedProviders(url)), MODEL_DEFAULT: undefined });

/** One for all turns of a suite: its threads start once. */
const allChecks = new SiteChecks();

interface TurnResult {
  readonly outcome: TurnOutcome | TurnFailure;
  readonly parts: readonly TurnPart[];
  /** The text of the stream. */
  readonly text: string;
  readonly files: WorkingCopy;
}

interface TurnOptions extends Partial<TurnContext> {
  readonly files?: Readonly<Record<string, string>>;
  readonly checks?: SiteChecks;
  readonly models?: Models;
  readonly stallMs?: number;
  readonly turnMs?: number;
}

/** Runs a turn of the model engine against the provider at `url`, on files of its own. */
export async function turnAt(
  url: string,
  { files = {}, checks = allChecks, models = scriptedModels(url), stallMs = 60_000, turnMs = 60_000, ...given }: TurnOptions = {},
): Promise<TurnResult> {
  const site = new WorkingCopy(
    Object.entries(files).map(([path, text]) => ({ path, size: Buffer.byteLength(text), content: Buffer.from(text) })),
  );
  const parts: TurnPart[] = [];
  const context: TurnContext = {
    orgId: 'org-1',
    projectId: 'project-1',
    turnId: 'turn-1',
    message: 'Build a page for my bakery.',
    attachments: [],
    pictures: [],
    readFile: () => Promise.reject(new Error('there is no such file')),
    history: [],
    site,
    model: undefined,
    maxTokens: 200_000,
    signal: new AbortController().signal,
    emit: (part) => void parts.push(part),
    ...given,
  };
  const outcome = await createModelEngine({ models, checks, stallMs, turnMs })
    .run(context)
    .catch((error: unknown) => {
      if (error instanceof TurnFailure) return error;
      throw error;
    });
  return { outcome, parts, text: parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join(''), files: site };
}
