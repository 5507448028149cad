import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { Keyring } from '@webkiln/sealing';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newWebhook, present, repeatable, someHook } from '../testing/calls.ts';
import { masterKey, secrets, useWebhooks } from '../testing/running-service.ts';
import { existingEndpoint } from './endpoint-store.ts';
import { resealSecrets, SigningSecrets } from './signing-secrets.ts';

useWebhooks();

/** Everything that the database holds. */
async function dump(): Promise<Buffer> {
  const collections = await mongoose.connection.db?.listCollections().toArray();
  const documents = (collections ?? []).map(({ name }) => mongoose.connection.collection(name).find().toArray());
  return Buffer.concat((await Promise.all(documents)).flat().map((document) => Buffer.from(mongoose.mongo.BSON.serialize(document))));
}

test('the database holds no plain signing secret, not even for idempotent creations and rotations', async () => {
  const org = randomUUID();
  const plain = await newWebhook(org);
  const create = { url: someHook, events: ['client.created'] };
  const made = await call('webhooks.CreateWebhook', create, testCaller(org, repeatable()));
  const rotated = await call('webhooks.RotateWebhookSecret', { webhook_id: plain.id }, testCaller(org, repeatable()));
  const stolen = await dump();
  expect(stolen.includes(plain.id)).toBe(true);
  for (const shown of [plain, made.webhook, rotated.webhook]) {
    const text = present(shown).secret.slice('whsec_'.length);
    expect(stolen.includes(text)).toBe(false);
    expect(stolen.includes(Buffer.from(text, 'base64'))).toBe(false);
    expect(stolen.toString('latin1')).not.toContain(Buffer.from(text).toString('base64').slice(0, -4));
  }
});

test("a sealed secret copied to another organization's endpoint cannot be opened", async () => {
  const [org, other] = [randomUUID(), randomUUID()];
  const { id } = await newWebhook(org);
  const { secret } = await existingEndpoint({ org_id: org }, id);
  const fresh = new SigningSecrets(new Keyring(new Map([['first', masterKey]])));
  expect(() => fresh.openSecret({ org_id: other, secret })).toThrow();
  expect(fresh.openSecret({ org_id: org, secret })).toMatch(/^whsec_/);
});

test('after a change of the master key all secrets are sealed with the new one, so that the old one can be removed', async () => {
  const org = randomUUID();
  const kept = await newWebhook(org);
  const rotated = await newWebhook(org);
  const rotate = async () => (await call('webhooks.RotateWebhookSecret', { webhook_id: rotated.id }, testCaller(org))).webhook?.secret;
  const [between, newest] = [await rotate(), await rotate()];
  const second = randomBytes(32);
  await resealSecrets(new SigningSecrets(new Keyring(new Map([['second', second]]).set('first', masterKey))));

  const afterwards = new SigningSecrets(new Keyring(new Map([['second', second]])));
  const now = new Date();
  expect(afterwards.signing(await existingEndpoint({ org_id: org }, kept.id), now)).toEqual([kept.secret]);
  expect(afterwards.signing(await existingEndpoint({ org_id: org }, rotated.id), now)).toEqual([newest, between, rotated.secret]);
  expect(() =>
    secrets.signing({ org_id: org, secret: afterwards.sealSecret(org, 'x'), previous_secret: null, previous_secret_until: null }, now),
  ).toThrow('second');
});
