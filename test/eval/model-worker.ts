import { dynamicTool, isStepCount, jsonSchema, streamText, type ToolSet } from 'ai';
import { createModels, type Model } from '../../services/embed/src/providers/models.ts';
import { modelsConfig } from '../../services/embed/src/providers/provider-config.ts';
import type { Worker } from './run-job.ts';

const maxCalls = 30;
const deadlineMs = 300_000;
const kindsWithAddress = ['anthropic', 'openai', 'google', 'mistral'];

/**
 * The model `provider/model`, with `PROVIDER_API_KEY` and, of a provider that is not one of those with an address of
 * their own, `PROVIDER_BASE_URL` of the environment. Throws a sentence that says what is missing.
 */
export function modelOf(name: string, env: NodeJS.ProcessEnv): Model {
  const [, provider = '', id = ''] = /^([a-z0-9-]+)\/(.+)$/.exec(name) ?? [];
  if (id === '') throw new Error('--model must be provider/model, such as anthropic/claude-sonnet-5');
  const variable = provider.toUpperCase().replaceAll('-', '_');
  const api_key = env[`${variable}_API_KEY`];
  const base_url = env[`${variable}_BASE_URL`];
  const kind = kindsWithAddress.includes(provider) ? provider : 'openai-compatible';
  if (api_key === undefined) throw new Error(`--model ${name} needs ${variable}_API_KEY in the environment`);
  if (kind === 'openai-compatible' && base_url === undefined) throw new Error(`--model ${name} needs ${variable}_BASE_URL, too`);
  const models = [{ id, name: id, context_tokens: 200_000 }];
  const config = JSON.stringify([{ id: provider, kind, api_key, base_url, models }]);
  const [model] = createModels({ MODEL_PROVIDERS: modelsConfig.MODEL_PROVIDERS.parse(config), MODEL_DEFAULT: undefined });
  return model as Model;
}

/** A worker with a model, which is told the words of the job and the tools as the server lists them. */
export const modelWorker =
  (model: Model): Worker =>
  async (job, agent, world) => {
    const listed = (await agent.ask('tools/list')).expect(200).body.result.tools;
    let calls = 0;
    const tools: ToolSet = {};
    for (const { name, description, inputSchema } of listed) {
      tools[name] = dynamicTool({
        description,
        inputSchema: jsonSchema(inputSchema),
        async execute(given) {
          if (++calls > maxCalls) return 'No call is left: answer with what you have.';
          const { body } = await agent.ask('tools/call', { name, arguments: given });
          return JSON.stringify(body.result?.content ?? body.error);
        },
      });
    }
    let failure: unknown;
    const result = streamText({
      model: await model.languageModel(),
      instructions: 'Do what your user asks with the tools, without asking back. Then answer in a few words.',
      prompt: job.words(world),
      tools,
      stopWhen: isStepCount(maxCalls + 1),
      maxOutputTokens: model.maxOutputTokens,
      abortSignal: AbortSignal.timeout(deadlineMs),
      onError: ({ error }) => {
        failure = error;
      },
    });
    await result.consumeStream();
    if (failure !== undefined) throw failure;
    const { totalTokens } = await result.totalUsage;
    return { answer: await result.text, calls, tokens: totalTokens ?? 0 };
  };
