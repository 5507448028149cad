import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ModelServer } from '../testing/model-server.ts';
import { farewell, page, providerWires, wireScript } from '../testing/provider-wires.ts';
import { providerKey, turnAt } from '../testing/turn-of.ts';
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
