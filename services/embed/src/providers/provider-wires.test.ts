import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { TurnFailure } from '../engines/engine.ts';
import type { ModelAnswer } from '../testing/model-answer.ts';
import { ModelServer } from '../testing/model-server.ts';
import { farewell, page, providerWires, wireScript } from '../testing/provider-wires.ts';
import { providerKey, scriptedModels, turnAt } from '../testing/turn-of.ts';
import { createModels } from './models.ts';
import { modelsConfig } from './provider-config.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

test.each(providerWires)('$quirk: it builds the site, and is asked no more often than it must', async (wire) => {
  server.play(wireScript(wire));
  const { outcome, files, parts } = await turnAt(server.url);
  expect(outcome).toMatchObject({ summary: farewell });
  expect(parts.filter(({ type }) => type === 'tool-input-error' || type === 'tool-output-error')).toEqual([]);
  expect(files.read('index.html')?.trim()).toBe(page);
  expect(server.requests.length).toBe(wire.requests ?? 3);
});

test('the package of a kind is loaded when a model of that kind is first used, and no other one', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve: (name, context, next) => {
      if (context.parentURL?.endsWith('/language-model.ts') && name.startsWith('@ai-sdk/')) loaded.push(name);
      return next(name, context);
    } });
    const { createModels } = await import(${JSON.stringify(pathToFileURL(path.join(__dirname, 'models.ts')).href)});
    const models = [{ id: 'm', name: 'M', images: false, context_tokens: 9_000, max_output_tokens: 1_000 }];
    const [model] = createModels({ MODEL_PROVIDERS: ['mistral', 'google'].map((kind) => ({ id: kind, kind, models })) });
    console.log(loaded.join());
    await Promise.all([model.languageModel(), model.languageModel()]);
    console.log(loaded.join());`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect([stdout, stderr]).toEqual(['\n@ai-sdk/mistral\n', '']);
});

const kinds = [
  { kind: 'openai', path: '/v1/responses' },
  { kind: 'google', path: '/v1/models/scripted:streamGenerateContent?alt=sse' },
  { kind: 'mistral', path: '/v1/chat/completions' },
  { kind: 'azure', path: '/v1/chat/completions' },
  { kind: 'bedrock', path: '/v1/model/scripted/converse-stream', more: { region: 'eu-central-1' } },
  { kind: 'bedrock', path: '/v1/model/scripted/converse-stream', more: { region: 'eu-central-1', access_key_id: 'AKIASCRIPTED' } },
];

const modelsOf = (kind: string, more: object) =>
  createModels({
    MODEL_PROVIDERS: modelsConfig.MODEL_PROVIDERS.parse(
      JSON.stringify([
        {
          id: kind,
          kind,
          base_url: server.url,
          api_key: providerKey,
          models: [{ id: 'scripted', name: 'Scripted', context_tokens: 100_000 }],
          ...more,
        },
      ]),
    ),
    MODEL_DEFAULT: undefined,
  });

test.each(kinds)('a model of the kind $kind builds the site over its own wire: $more', async ({ kind, path, more = {} }) => {
  server.play([
    { calls: [{ name: 'list_files', input: {} }] },
    { text: 'I write it.', calls: [{ name: 'write_file', input: { path: 'index.html', content: page } }] },
    { text: farewell },
  ]);
  const { outcome, files } = await turnAt(server.url, { models: modelsOf(kind, more) });
  expect(outcome).toEqual({ summary: farewell, tokens: 3 * 1_200 });
  expect(files.read('index.html')).toBe(page);
  expect(server.requests.map((request) => request.path)).toEqual(Array(3).fill(path));
  const [first] = server.requests;
  expect(JSON.stringify(first?.headers).includes(providerKey)).toBe(!('access_key_id' in more));
  expect(first?.text).not.toContain(providerKey);
  if (kind === 'openai') expect(JSON.parse(first?.text ?? '{}')).toMatchObject({ store: false });
});

const turn = (answers: readonly ModelAnswer[], options: Parameters<typeof turnAt>[1] = {}) => {
  server.play(answers);
  return turnAt(server.url, options);
};

const failureOf = async (answers: readonly ModelAnswer[], options: Parameters<typeof turnAt>[1] = {}) => {
  const { outcome } = await turn(answers, options);
  expect(outcome).toBeInstanceOf(TurnFailure);
  return outcome as TurnFailure;
};

const inStream = (error: object | string): readonly ModelAnswer[] => [
  {
    wire: {
      type: 'text/event-stream',
      text: `data: {"choices":[{"delta":{"content":"I beg"}}]}\n\ndata: ${JSON.stringify({ error })}\n\n`,
    },
  },
];

test.each([
  [
    { message: 'Rate limit reached for requests', type: 'requests', code: 'rate_limit_exceeded' },
    'has too much to do. Try again in a minute',
  ],
  [{ message: 'You exceeded your current quota', code: 'insufficient_quota' }, 'is used up'],
  [{ message: "This model's maximum context length is 8192 tokens", code: 400 }, 'too long for this model'],
  [{ message: 'Incorrect API key provided', type: 'authentication_error' }, "refuses the platform's key"],
  [{ message: 'The response was filtered', code: 'content_filter' }, 'declines to do this'],
  [{ message: 'The model is overloaded', code: 503 }, 'has a problem of its own'],
  [{ message: 'The model `x` does not exist', type: 'invalid_request_error' }, 'does not know this model'],
  ['Too many requests', 'has too much to do'],
  [{ message: 'Something went wrong' }, 'broke off'],
])('an error inside the stream is told by its kind, and nothing is learned from it: %j', async (error, sentence) => {
  const models = scriptedModels(server.url);
  expect((await failureOf(inStream(error), { models })).message).toContain(sentence);
  expect([...(models[0]?.quirks.names ?? [])]).toEqual([]);
});

test('an error inside the stream of another kind is told by its kind, too', async () => {
  const { message } = await failureOf([{ text: 'I beg', fails: 'error' }], { model: 'messages' });
  expect(message).toContain('has a problem of its own');
});

test('a provider that asks for a long pause is not waited for, and one that goes on refusing is asked twice', async () => {
  const refused = (seconds: string) => ({ status: 429, headers: { 'retry-after': seconds } });
  expect((await failureOf([refused('60'), { text: 'Hello.' }])).message).toContain('Try again in 60 seconds.');
  expect(server.requests).toHaveLength(1);
  expect((await failureOf([refused('0'), refused('0'), { text: 'Hello.' }])).message).toContain('Try again in a minute.');
  expect(server.requests).toHaveLength(2);
});

test('an answer that says nothing, and one that a length ends, are not taken for work that is done', async () => {
  const empty = { wire: { type: 'text/event-stream', text: 'data: {"choices":[{"delta":{"content":""}}]}\n\ndata: [DONE]\n\n' } };
  expect((await failureOf([empty])).message).toContain('broke off');
  const { text } = await turn([{ text: 'I beg', finish: 'max_tokens' }]);
  expect(text).toContain('has used what one turn may spend');
});

test('a provider that is unavailable for a moment is asked once more', async () => {
  const { outcome } = await turn([{ status: 503 }, { text: 'Hello.' }]);
  expect([outcome, server.requests.length]).toEqual([{ summary: 'Hello.', tokens: 1_200 }, 2]);
});

test('a provider that nobody listens for, and one that redirects, cannot be reached', async () => {
  const { outcome } = await turnAt(`http://127.0.0.1:${await freePort()}/v1`);
  expect(outcome).toMatchObject({ message: expect.stringContaining('cannot be reached'), tokens: expect.any(Number) });
  const redirect = { status: 307, headers: { location: '/elsewhere' } };
  expect(await failureOf([redirect, redirect])).toMatchObject({ message: expect.stringContaining('cannot be reached') });
  expect(server.requests.filter(({ path }) => path === '/elsewhere')).toEqual([]);
});
