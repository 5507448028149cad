import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError, readConfig } from '@webkiln/runtime';
import * as z from 'zod';
import { createModels } from './models.ts';
import { checkModels, modelsConfig } from './provider-config.ts';

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
