import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiKeyDigest, parseApiKey } from '@webkiln/contract';
import { removeStreams } from '@webkiln/events/testing';
import { serviceCaller } from '@webkiln/messages';
import { call, closePeers, connectPeers, generateSigningKey, peerState } from '@webkiln/rpc';
import { type ServiceProcess, startProcess } from '@webkiln/runtime/testing';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { bundledProgram } from '../../../tools/dev-platform/src/platform/bundle.ts';

const root = path.resolve(__dirname, '../../..');

export interface Run {
  code: number | null;
  out: string;
  err: string;
}

/** A running identity and what an operator needs to reach it. */
export interface Platform {
  /** The folder with run.json and secrets.json of the development platform. */
  folder: string;
  /** The prefix of its streams, subjects and databases. */
  prefix: string;
  address: string;
  /** The address of identity's health checks. */
  internalAddress: string;
  signingKey: string;
}

/** Runs identity as a separate process with its own database and streams, and connects this process as a gateway. */
export function useIdentityProcess(): Platform {
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const { privateKey, publicKey } = generateSigningKey();
  const gateway = generateSigningKey();
  const platform: Platform = {
    ...{ folder: mkdtempSync(path.join(tmpdir(), 'webkiln-')), prefix },
    ...{ address: '', internalAddress: '', signingKey: privateKey },
  };
  let identity: ServiceProcess;

  beforeAll(async () => {
    const { MONGODB_URL, NATS_URL } = process.env;
    const settings = {
      MONGODB_PREFIX: prefix,
      EVENTS_PREFIX: prefix,
      HTTP_PORT: '0',
      ORIGIN: 'http://localhost',
      AUTH_SECRET: randomBytes(32).toString('base64'),
      MAIL_DIR: path.join(platform.folder, 'mail'),
      KEY_PEPPER: randomBytes(32).toString('base64'),
      PRINCIPAL_TRUSTED_KEYS: `operator:${publicKey},gateway:${gateway.publicKey}`,
    };
    identity = await startProcess(await bundledProgram('services/identity/src/main.ts'), { MONGODB_URL, NATS_URL, ...settings });
    const { grpc: port, internal: internal_port } = identity.ports;
    platform.address = `127.0.0.1:${port}`;
    platform.internalAddress = `127.0.0.1:${internal_port}`;
    writeFileSync(path.join(platform.folder, 'run.json'), JSON.stringify({ services: { identity: { port, internal_port } } }));
    writeFileSync(path.join(platform.folder, 'secrets.json'), JSON.stringify({ OPERATOR_SIGNING_KEY: privateKey }));
    connectPeers({ issuer: 'gateway', signingKey: gateway.privateKey, transport: 'unary', addresses: { identity: platform.address } });
    await until(() => peerState('identity') === 'ready');
  });

  afterAll(async () => {
    await closePeers();
    await identity.stop();
    await removeStreams(prefix);
    rmSync(platform.folder, { recursive: true });
    const database = await mongoose.createConnection(process.env.MONGODB_URL ?? '', { dbName: `${prefix}_identity` }).asPromise();
    await database.dropDatabase();
    await database.close();
  });
  return platform;
}

const entry = 'cli/src/main.ts';

/** Runs the command line as its image does, with no settings in its environment but `env`. */
export const webkiln = async (words: readonly string[], env: Record<string, string>): Promise<Run> =>
  runCli(await bundledProgram(entry), words, env);

/** Runs the command line from its sources, as `npm run webkiln` does. */
export const webkilnOfSources = (words: readonly string[], env: Record<string, string>): Promise<Run> =>
  runCli(path.join(root, entry), words, env);

function runCli(main: string, words: readonly string[], env: Record<string, string>): Promise<Run> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return new Promise((resolve) => {
    const program = execFile(process.execPath, [main, ...words], { env: { PATH, NODE_COMPILE_CACHE, ...env } }, (_error, out, err) =>
      resolve({ code: program.exitCode, out: out.trim(), err: err.trim() }),
    );
  });
}

/** Identity's reply to a gateway about these keys. */
export async function introspectKeys(...secrets: string[]) {
  const key_digests = secrets.map((secret) => {
    const key = parseApiKey(secret);
    if (key === undefined) throw new Error('this is no API key');
    return apiKeyDigest(key);
  });
  const caller = serviceCaller('gateway', '', 20_000);
  return (await call('identity.VerifyKeys', { key_digests }, caller)).verdicts;
}

/** Waits until an audit log has an action by this operator. */
export async function expectActor({ prefix }: Platform, action: string, operator: string): Promise<void> {
  const database = await mongoose.createConnection(process.env.MONGODB_URL ?? '', { dbName: `${prefix}_identity` }).asPromise();
  try {
    await until(async () => (await database.collection('audit_entries').findOne({ action, 'actor.id': operator })) !== null);
  } finally {
    await database.close();
  }
}
