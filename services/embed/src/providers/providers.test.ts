import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, readConfig } from '@webkiln/runtime';
import { freePort } from '@webkiln/runtime/testing/free-port';
import * as z from 'zod';
import { TurnFailure } from '../engines/engine.ts';
import type { ModelAnswer } from '../testing/model-answer.ts';
import { ModelServer } from '../testing/model-server.ts';
import { farewell, page, providerWires, wireScript } from '../testing/provider-wires.ts';
import { providerKey, scriptedModels, turnAt } from '../testing/turn-of.ts';
import { createModels } from './models.ts';
import { checkModels, modelsConfig } from './provider-config.ts';

describe('provider config', () => {
  const Config = z.object(modelsConfig).superRefine(checkModels);
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-models-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const fileOf = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };

  const model = (id: string) => ({ id, name: id.toUpperCase(), context_tokens: 100_000 });
  const provider = {
    id: 'local',
    kind: 'openai-compatible',
    base_url: 'http://127.0.0.1:11434/v1',
    api_key: 'sk-secret-1',
    models: [model('a'), model('b')],
  };
  const anthropic = { id: 'anthropic', kind: 'anthropic', api_key: 'sk-secret-2', models: [{ ...model('c'), images: true }] };

  const refusalOf = (env: NodeJS.ProcessEnv): string => {
    try {
      readConfig(Config, env);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as ConfigError).message;
    }
    throw new Error('the configuration was accepted');
  };

  test('without providers there are no models', () => {
    expect(createModels(readConfig(Config, {}))).toEqual([]);
  });

  test('models of several providers are offered with the default first, and may be read from a file', () => {
    const MODEL_PROVIDERS_FILE = fileOf('providers.json', JSON.stringify([provider, anthropic]));
    const models = createModels(readConfig(Config, { MODEL_PROVIDERS_FILE, MODEL_DEFAULT: 'c' }));
    expect(models.map(({ id, provider, takesImages }) => [id, provider, takesImages])).toEqual([
      ['c', 'anthropic', true],
      ['a', 'local', false],
      ['b', 'local', false],
    ]);
  });

  test('a key is read from a file of its own', () => {
    const { api_key: _here, ...rest } = provider;
    const MODEL_PROVIDERS = JSON.stringify([{ ...rest, api_key_file: fileOf('key', 'sk-in-a-file\n') }]);
    expect(readConfig(Config, { MODEL_PROVIDERS }).MODEL_PROVIDERS[0]?.api_key).toBe('sk-in-a-file');
  });

  test('a kind takes the fields that its provider needs, and no others', () => {
    const given = (more: object) => readConfig(Config, { MODEL_PROVIDERS: JSON.stringify([{ id: 'p', models: [model('a')], ...more }]) });
    for (const kind of ['openai', 'google', 'mistral', 'anthropic']) expect(given({ kind }).MODEL_PROVIDERS[0]?.kind).toBe(kind);
    given({ kind: 'azure', base_url: 'https://ours.openai.azure.com/openai', api_version: '2025-04-01-preview' });
    given({ kind: 'bedrock', region: 'us-gov-west-1', access_key_id: 'AKIA', api_key: 'sk-secret-3' });
    for (const [wrong, place] of [
      [{ kind: 'azure' }, 'at 0.base_url'],
      [{ kind: 'bedrock' }, 'at 0.region'],
      [{ kind: 'bedrock', region: 'evil.example/' }, 'at 0.region: must be a region'],
      [{ kind: 'bedrock', region: 'eu-central-1', access_key_id: 'AKIA' }, 'access_key_id needs'],
      [{ kind: 'google', region: 'eu-central-1' }, 'at 0'],
    ] as const)
      expect(refusalOf({ MODEL_PROVIDERS: JSON.stringify([{ id: 'p', models: [model('a')], ...wrong }]) })).toContain(place);
  });

  test.each([
    ['{', {}, 'must be JSON'],
    [JSON.stringify([{ ...provider, base_url: 'sk-secret-1' }]), {}, 'at 0.base_url: must be a URL'],
    [JSON.stringify([{ ...provider, kind: 'sk-secret-1' }]), {}, 'at 0.kind'],
    [JSON.stringify([{ ...provider, base_url: undefined }]), {}, 'at 0.base_url'],
    [JSON.stringify([{ ...provider, models: [] }]), {}, 'at 0.models'],
    [JSON.stringify([provider, { ...anthropic, models: [model('a')] }]), {}, 'an id of its own'],
    [JSON.stringify([{ ...provider, api_key_file: '/nowhere/sk-secret-1' }]), {}, 'api_key_file that cannot be read'],
    [JSON.stringify([provider]), { MODEL_DEFAULT: 'sk-secret-1' }, 'MODEL_DEFAULT must be the id of a model'],
    ['', { MODEL_PROVIDERS_FILE: '/nowhere/sk-secret-1' }, 'MODEL_PROVIDERS_FILE must be the path of a file'],
  ])('a wrong configuration is refused with its place and without its values: %#', (MODEL_PROVIDERS, others, place) => {
    const message = refusalOf({ MODEL_PROVIDERS, ...others });
    expect(message).toContain(place);
    expect(message).not.toContain('sk-secret');
  });
});

describe('provider wires', () => {
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
});
