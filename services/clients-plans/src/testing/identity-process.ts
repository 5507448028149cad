import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Language } from '@webkiln/contract';
import { removeStreams } from '@webkiln/events/testing';
import { operatorPrincipal } from '@webkiln/messages';
import { callAs } from '@webkiln/rpc/testing';
import { type ServiceProcess, startProcess } from '@webkiln/runtime/testing';
import mongoose from 'mongoose';
import { bundledProgram } from '../../../../tools/dev-platform/src/platform/bundle.ts';
import { present } from './expectations.ts';
import { signing } from './running-service.ts';

export interface Identity {
  address(): string;
  /** Creates an organization and returns its id. */
  organization(name: string): Promise<string>;
  /** Gives an organization a language. */
  setLanguage(org_id: string, language: Language): Promise<void>;
  /** Adds a member; without a password its address is not verified. */
  member(org_id: string, email: string, password?: string): Promise<void>;
  /** The user's account; null if identity has no such user. */
  accountOf(user_id: string): Promise<string | null>;
}

/**
 * Runs the real identity beside the tests, with its own database and streams, so that it takes no events of other
 * platforms.
 */
export function useIdentity(): Identity {
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const database = () => mongoose.connection.useDb(`${prefix}_identity`);
  let identity: ServiceProcess;

  beforeAll(async () => {
    identity = await startProcess(await bundledProgram('services/identity/src/main.ts'), {
      MONGODB_URL: process.env.MONGODB_URL ?? '',
      MONGODB_PREFIX: prefix,
      NATS_URL: process.env.NATS_URL ?? '',
      EVENTS_PREFIX: prefix,
      HTTP_PORT: '0',
      ORIGIN: 'http://localhost',
      AUTH_SECRET: randomBytes(32).toString('base64'),
      QUOTA_MAILS_NEW: '1000',
      MAIL_DIR: path.join(tmpdir(), prefix),
      KEY_PEPPER: randomBytes(32).toString('base64'),
      PRINCIPAL_TRUSTED_KEYS: ['operator', 'gateway', 'clients-plans'].map((issuer) => `${issuer}:${signing.publicKey}`).join(),
    });
  });
  afterAll(async () => {
    await identity.stop();
    await removeStreams(prefix);
    await database().dropDatabase();
  });

  const address = () => `127.0.0.1:${identity.ports.grpc}`;
  const operator = () => ({ issuer: 'operator', signingKey: signing.privateKey, address: address() }) as const;

  return {
    address,
    async organization(name) {
      const { organization } = await callAs(operator(), 'identity.CreateOrganization', { name }, operatorPrincipal());
      return present(organization).id;
    },
    async setLanguage(org_id, language) {
      await database().collection<{ _id: string }>('organizations').updateOne({ _id: org_id }, { $set: { language } });
    },
    async member(org_id, email, password) {
      await callAs(operator(), 'identity.AddMember', { email, role: 'developer', password }, operatorPrincipal(org_id));
    },
    async accountOf(user_id) {
      const user = await database().collection<{ _id: string; account_id: string }>('users').findOne({ _id: user_id });
      return user?.account_id ?? null;
    },
  };
}
