import { randomBytes } from 'node:crypto';
import { removeStreams } from '@webkiln/events/testing';
import { generateSigningKey } from '@webkiln/rpc';
import { type ServiceProcess, startProcess } from '@webkiln/runtime/testing';
import mongoose from 'mongoose';
import { ModelServer } from '../../../services/embed/src/testing/model-server.ts';
import { providerKey, scriptedProviders } from '../../../services/embed/src/testing/turn-of.ts';
import { bundledProgram } from '../../../tools/dev-platform/src/platform/bundle.ts';
import { webkiln } from '../testing/command-line.ts';

const prefix = `test_${randomBytes(6).toString('hex')}`;
const operator = generateSigningKey();
const { MONGODB_URL = '', NATS_URL = '' } = process.env;
let provider: ModelServer;
let embed: ServiceProcess;

beforeAll(async () => {
  provider = await ModelServer.start();
  embed = await startProcess(await bundledProgram('services/embed/src/main.ts'), {
    MONGODB_URL,
    NATS_URL,
    MONGODB_PREFIX: prefix,
    EVENTS_PREFIX: prefix,
    ORIGIN: 'http://localhost',
    PRINCIPAL_SIGNING_KEY: generateSigningKey().privateKey,
    PRINCIPAL_TRUSTED_KEYS: `operator:${operator.publicKey}`,
    IDENTITY_ADDRESS: '127.0.0.1:1',
    CLIENTS_PLANS_ADDRESS: '127.0.0.1:1',
    PROJECTS_TEMPLATES_ADDRESS: '127.0.0.1:1',
    MODEL_PROVIDERS: scriptedProviders(provider.url),
  });
});
afterAll(async () => {
  await embed.stop();
  await provider[Symbol.asyncDispose]();
  await removeStreams(prefix);
  const database = await mongoose.createConnection(MONGODB_URL, { dbName: `${prefix}_embed` }).asPromise();
  await database.dropDatabase();
  await database.close();
});

async function modelTest(...words: string[]) {
  const run = await webkiln(['model', 'test', ...words], {
    EMBED_ADDRESS: `127.0.0.1:${embed.ports.grpc}`,
    OPERATOR_SIGNING_KEY: operator.privateKey,
  });
  expect([run.out, run.err, embed.log].join('\n')).not.toContain(providerKey);
  return run;
}

const calls = { calls: [{ name: 'report', input: { word: 'kiln' } }] };
const sentence = { text: 'I have reported the word kiln to the tool, as you asked.' };

test('model test says of each provider that its model answers, streams and calls tools', async () => {
  provider.play(({ text }) => (text.includes('Thank you') ? sentence : calls));
  const { code, out, err } = await modelTest();
  expect([code, err]).toEqual([0, '']);
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^PROVIDER +MODEL +TIME +FINDING$/),
    expect.stringMatching(/^scripted +chat +\d+\.\d s +answers, streams and calls tools$/),
    expect.stringMatching(/^other +messages +\d+\.\d s +answers, streams and calls tools$/),
  ]);
});

test.each([
  [[{ status: 401 }], 'refuses the key (401): check api_key'],
  [[{ status: 404 }], 'knows no model chat at its address (404): check the id and base_url'],
  [[{ status: 429 }], 'takes no more requests now (429)'],
  [[{ status: 500 }], 'answers with status 500'],
  [[sentence], 'answers, but calls no tool: it cannot build sites'],
  [[{ text: 'I', fails: 'cut' as const }], 'broke off'],
])('model test says what is wrong, and exits 1: %#', async (answers, finding) => {
  provider.play(answers);
  const { code, out, err } = await modelTest('--provider', 'scripted');
  expect(out).toContain(finding);
  expect([code, err]).toEqual([1, '1 of 1 provider cannot build sites.']);
});

test('model test says what the server of a model wants, and asks it in that form from then on', async () => {
  provider.play(({ text }) => {
    if (/"max_tokens"|"stream_options"/.test(text)) {
      const wanted = text.includes('"stream_options"')
        ? 'stream_options is not supported'
        : 'use max_completion_tokens in place of max_tokens';
      return { status: 400, body: { error: { message: wanted } } };
    }
    return text.includes('Thank you') ? sentence : calls;
  });
  const { code, out } = await modelTest('--provider', 'scripted');
  expect(code).toBe(0);
  expect(out).toContain('answers, streams and calls tools; refuses stream_options: its tokens are estimated; wants max_completion_tokens');
  expect(provider.requests).toHaveLength(4);
  await modelTest('--provider', 'scripted');
  expect(provider.requests).toHaveLength(6);
});

test('model test names a provider that is not configured', async () => {
  expect(await modelTest('--provider', 'nobody')).toMatchObject({ code: 1, err: 'provider: is not in MODEL_PROVIDERS.' });
});
