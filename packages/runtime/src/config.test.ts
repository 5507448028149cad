import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { Address, atLeast, baseConfig, Port, rpcClientConfig, rpcServerConfig, storeConfig } from './config.ts';
import { logger } from './logger.ts';
import { ConfigError, checkGiven, readConfig, secret, secretSettings } from './read-config.ts';
import { ByteSecrets, TextSecrets } from './secret-list.ts';
import { sendsPasswordInClear } from './store-url.ts';

describe('config', () => {
  const messageOf = (schema: z.ZodObject, env: NodeJS.ProcessEnv) => {
    try {
      readConfig(schema, env);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as ConfigError).message;
    }
    throw new Error('the configuration was accepted');
  };

  test('the message names every wrong or missing variable and its rule', () => {
    const message = messageOf(z.object({ WEB_PORT: Port, PEER: Address }), { WEB_PORT: '70000' });
    expect(message).toContain('WEB_PORT must be a port, 0 to 65535');
    expect(message).toContain('PEER is not set: must be host:port');
  });

  test('the message never shows a value', () => {
    expect(messageOf(z.object(rpcClientConfig), { PRINCIPAL_SIGNING_KEY: 'p@ssw0rd' })).not.toContain('p@ssw0rd');
  });

  test('an empty variable counts as absent', () => {
    expect(readConfig(z.object(baseConfig), { INTERNAL_PORT: '', OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toEqual({
      LOG_LEVEL: 'info',
      INTERNAL_PORT: 0,
      BIND_ADDRESS: '127.0.0.1',
      OTEL_TRACES_SAMPLER_ARG: 0.01,
    });
  });

  test.each(['identity:5000', '10.0.0.1:5000', '[::1]:5000', '10.0.0.1:5000,10.0.0.2:5000'])('%s is an address', (address) => {
    expect(readConfig(z.object({ PEER: Address }), { PEER: address })).toEqual({ PEER: address });
  });

  test.each(['identity', 'http://identity:5000', ':5000', 'identity:', 'a:1, b:2'])('%s is not an address', (address) => {
    expect(messageOf(z.object({ PEER: Address }), { PEER: address })).toContain('PEER must be host:port');
  });

  test('an issuer may have two keys, so that its key can be changed', () => {
    const { PRINCIPAL_TRUSTED_KEYS } = readConfig(z.object(rpcServerConfig), {
      GRPC_PORT: '0',
      PRINCIPAL_TRUSTED_KEYS: 'gateway:bmV3,gateway:b2xk,identity:a2V5',
    });
    expect(PRINCIPAL_TRUSTED_KEYS).toEqual({ gateway: ['bmV3', 'b2xk'], identity: ['a2V5'] });
  });

  test('what is set is checked against every schema that has it, with one line for each wrong variable', () => {
    const schemas = [
      z.object({ RATE_LIMIT: atLeast(1), PEER: Address }),
      z.object({ WEB_PORT: Port, PEER: Address }),
      z.object(baseConfig),
    ];
    const problem = 'The configuration in the environment needs correcting:\n';
    const lines = ['  RATE_LIMIT must be a whole number of at least 1', '  WEB_PORT must be a port, 0 to 65535'];
    expect(() => checkGiven(schemas, { RATE_LIMIT: '-5', WEB_PORT: 'abc', LOG_LEVEL: '' })).toThrow(
      new ConfigError(problem + lines.join('\n')),
    );
    const peer = '  PEER must be host:port, or several of them with commas between';
    expect(() => checkGiven(schemas, { PEER: 'here' })).toThrow(new ConfigError(problem + peer));
    expect(() => checkGiven(schemas, { RATE_LIMIT: '5', OTHER: 'x' })).not.toThrow();
  });
});

describe('read config', () => {
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
    expect(secretSettings(z.object({ ...baseConfig, ...storeConfig, ...rpcClientConfig }))).toEqual([
      'MONGODB_URL',
      'PRINCIPAL_SIGNING_KEY',
    ]);
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
});

describe('secret list', () => {
  const [one, two] = ['1'.repeat(32), '2'.repeat(32)];
  const bytes = (fill: number) => Buffer.alloc(32, fill);

  test('a list holds its secrets in order, without their ids', () => {
    expect(TextSecrets.parse(`2026-01:${one},2026-07:${two}`)).toEqual([one, two]);
    expect(ByteSecrets.parse(`a:${bytes(1).toString('base64')},b:${bytes(2).toString('base64')}`)).toEqual([bytes(1), bytes(2)]);
  });

  test('a secret alone is a list of one, and means the same with an id before it', () => {
    for (const alone of [one, `with, commas and spaces ${one}`, `no id: ${one}`]) expect(TextSecrets.parse(alone)).toEqual([alone]);
    expect(TextSecrets.parse(`old:${one}`)).toEqual(TextSecrets.parse(one));
    const pepper = bytes(1).toString('base64');
    expect(ByteSecrets.parse(`old:${pepper}`)).toEqual(ByteSecrets.parse(pepper));
  });

  test.each(['', 'short', 'a:short', `a:${one},a:${two}`])('a text secret is refused: %p', (text) => {
    const { success, error } = TextSecrets.safeParse(text);
    expect(success).toBe(false);
    expect(error?.message).toContain('each id once');
  });

  test.each(['', 'AAAA', 'not base64', `a:${bytes(1).toString('base64')},b:AAAA`, `${bytes(1).toString('base64')},b:AAAA`])(
    'a secret of bytes is refused: %p',
    (text) => {
      expect(ByteSecrets.safeParse(text).success).toBe(false);
    },
  );
});

describe('store url', () => {
  test.each([
    'mongodb://ada:s3cret@db.example:27017/?replicaSet=rs0',
    'mongodb://ada:s3cret@127.0.0.1:27017,db.example:27017/?replicaSet=rs0',
    'mongodb://ada:s3cret@db.example/?tls=false',
    'mongodb+srv://ada:s3cret@db.example/?tls=false',
    'nats://identity:s3cret@webkiln-nats:4222',
    'redis://:s3cret@cache.example:6379',
    'smtp://ada:s3cret@mail.example:587',
    'smtp://ada:s3cret@mail.example:587?requireTLS=false',
  ])('%s sends its password in the clear', (url) => {
    expect(sendsPasswordInClear(url)).toBe(true);
  });

  test.each([
    'mongodb://ada:s3cret@a.example:27017,b.example:27017/?replicaSet=rs0&tls=true',
    'mongodb://ada:s3cret@db.example/?ssl=true',
    'mongodb+srv://ada:s3cret@db.example/',
    'mongodb://ada:s3cret@127.0.0.1:27017/',
    'mongodb://a.example:27017,b.example:27017/?replicaSet=rs0',
    'tls://identity:s3cret@nats.example:4222',
    'nats://nats.example:4222',
    'nats://identity:s3cret@localhost:4222',
    'rediss://:s3cret@cache.example:6379',
    'redis://:s3cret@[::1]:6379',
    'smtps://ada:s3cret@mail.example',
    'smtp://ada:s3cret@mail.example:587?requireTLS=true',
    'smtp://mail.example',
    's3cret:with-a-colon',
  ])('%s does not', (url) => {
    expect(sendsPasswordInClear(url)).toBe(false);
  });
});
