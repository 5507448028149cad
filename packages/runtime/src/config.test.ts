import * as z from 'zod';
import { Address, atLeast, baseConfig, Port, rpcClientConfig, rpcServerConfig } from './config.ts';
import { ConfigError, checkGiven, readConfig } from './read-config.ts';

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
  const schemas = [z.object({ RATE_LIMIT: atLeast(1), PEER: Address }), z.object({ WEB_PORT: Port, PEER: Address }), z.object(baseConfig)];
  const problem = 'The configuration in the environment needs correcting:\n';
  const lines = ['  RATE_LIMIT must be a whole number of at least 1', '  WEB_PORT must be a port, 0 to 65535'];
  expect(() => checkGiven(schemas, { RATE_LIMIT: '-5', WEB_PORT: 'abc', LOG_LEVEL: '' })).toThrow(
    new ConfigError(problem + lines.join('\n')),
  );
  const peer = '  PEER must be host:port, or several of them with commas between';
  expect(() => checkGiven(schemas, { PEER: 'here' })).toThrow(new ConfigError(problem + peer));
  expect(() => checkGiven(schemas, { RATE_LIMIT: '5', OTHER: 'x' })).not.toThrow();
});
