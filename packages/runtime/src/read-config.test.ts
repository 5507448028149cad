import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { baseConfig, rpcClientConfig, storeConfig } from './config.ts';
import { logger } from './logger.ts';
import { ConfigError, readConfig, secret, secretSettings } from './read-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'webkiln-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (text: string) => {
  const path = join(folder, `${Math.random()}`);
  writeFileSync(path, text);
  return path;
};

const PEPPER = z.string().min(8, 'must have 8 characters').optional().meta(secret);
const plain = z.object({ PEPPER, NAME: z.string().default('none') });
const refined = plain.refine(({ NAME }) => NAME !== 'bad', { path: ['NAME'], error: 'must be good' });

test.each([plain, refined])('a secret is read from the file that NAME_FILE names, without the newline at its end: %#', (schema) => {
  for (const [text, value] of [
    ['s3cret-value', 's3cret-value'],
    ['s3cret-value\n', 's3cret-value'],
    ['s3cret-value\r\n', 's3cret-value'],
    [' s3cret-value \n\n', ' s3cret-value \n'],
  ] as const)
    expect(readConfig(schema, { PEPPER_FILE: fileOf(text) })).toEqual({ PEPPER: value, NAME: 'none' });
});

test('an empty NAME_FILE counts as absent, and only secrets are read from files', () => {
  expect(readConfig(plain, { PEPPER: 's3cret-value', PEPPER_FILE: '', NAME_FILE: fileOf('a name') }).NAME).toBe('none');
});

test.each([
  ['both are set', { PEPPER: 's3cret-value', PEPPER_FILE: fileOf('s3cret-other') }, 'PEPPER_FILE must be unset where PEPPER is set'],
  ['there is no file', { PEPPER_FILE: '/nowhere/s3cret' }, 'PEPPER_FILE must be the path of a file'],
  ['it is a folder', { PEPPER_FILE: folder }, 'PEPPER_FILE must be the path of a file'],
  ['it is empty', { PEPPER_FILE: fileOf('\n') }, 'PEPPER_FILE must be the path of a file'],
  ['the secret breaks its rule', { PEPPER_FILE: fileOf('s3cret') }, 'PEPPER must have 8 characters'],
])('a configuration is refused with the name of the variable and without a value if %s', (_case, env, message) => {
  const read = () => readConfig(refined, env);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(message);
  expect(read).not.toThrow('s3cret');
});

test('the secrets of a schema are known by name: keys, and the URLs of stores', () => {
  expect(secretSettings(z.object({ ...baseConfig, ...storeConfig, ...rpcClientConfig }))).toEqual(['MONGODB_URL', 'PRINCIPAL_SIGNING_KEY']);
});

test('a URL that sends its password in the clear is named in a warning, without its value', () => {
  const warned = jest.spyOn(logger, 'warn').mockImplementation(() => undefined);
  const MONGODB_URL = 'mongodb://ada:s3cret@db.example:27017,db2.example:27017/?replicaSet=rs0';
  const urls = z.object(storeConfig);
  expect(readConfig(urls, { MONGODB_URL }).MONGODB_URL).toBe(MONGODB_URL);
  expect(warned.mock.calls).toEqual([[{ setting: 'MONGODB_URL' }, expect.stringContaining('in the clear')]]);
  readConfig(urls, { MONGODB_URL: `${MONGODB_URL}&tls=true` });
  expect(warned).toHaveBeenCalledTimes(1);
  warned.mockRestore();
});
