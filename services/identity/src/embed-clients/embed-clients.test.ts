import { randomUUID } from 'node:crypto';
import { embedSecretTexts } from '@webkiln/contract';
import { type Caller, type Idempotency, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { keyHash } from '../keys/key-secret.ts';
import { newMember, newOrganization, pepper, present, sessionOf, useIdentity } from '../testing/running-identity.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { changeEmbedClient, openEmbedClient, rotateSecret, toEmbedClient } from './embed-client.ts';
import { createEmbedClient, rotateEmbedClient } from './embed-client-use-cases.ts';

useIdentity();

describe('the rules of embed clients', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const hours = (count: number) => new Date(now.getTime() + count * 3_600_000);
  const made = (name: string) => ({
    prefix: `embs_${name}`,
    hash: `hash of ${name}`,
    rotation: `request for ${name}`,
    rotated_by: `rotator of ${name}`,
  });
  const draft = {
    _id: 'emb_1',
    org_id: 'o1',
    created_by: 'm1',
    name: 'Portal',
    allowed_origins: ['https://a.example', 'https://b.example', 'https://a.example'],
    session_credits: null,
    daily_credits: 500,
  };
  const client = openEmbedClient(draft, { ...made('first'), rotated_by: null }, now);

  test('the public record of an embed client contains neither a hash nor its organization', () => {
    expect(toEmbedClient(client)).toEqual({
      id: 'emb_1',
      name: 'Portal',
      allowed_origins: ['https://a.example', 'https://b.example'],
      secret_prefix: 'embs_first',
      session_credits: null,
      daily_credits: 500,
      previous_secret_until: null,
      created_at: '2026-01-01T00:00:00.000Z',
      created_by: 'm1',
      rotated_by: null,
    });
  });

  test('a change contains only changed fields, with origins deduplicated; without changed fields it is null', () => {
    expect(changeEmbedClient(client, { name: 'Portal', allowed_origins: draft.allowed_origins })).toBeNull();
    expect(changeEmbedClient(client, { name: 'Shop', allowed_origins: ['https://c.example', 'https://c.example'] })).toEqual({
      name: 'Shop',
      allowed_origins: ['https://c.example'],
    });
  });

  test('the old secret works for the grace period, and not at all without one', () => {
    expect(rotateSecret(client, made('second'), 24, now)).toEqual({
      secret_prefix: 'embs_second',
      secret_hash: 'hash of second',
      rotation: 'request for second',
      rotated_by: 'rotator of second',
      previous_secret_hash: 'hash of first',
      previous_secret_until: hours(24),
    });
    expect(rotateSecret(client, made('second'), 0, now)).toMatchObject({ previous_secret_hash: null, previous_secret_until: null });
  });

  test('a rotation without grace also ends the grace period of the previous rotation', () => {
    const rotated = { ...client, ...rotateSecret(client, made('second'), 24, now) };
    expect(rotateSecret(rotated, made('third'), 0, hours(1))).toMatchObject({ previous_secret_hash: null, previous_secret_until: null });
  });

  test('a retried rotation keeps the previous secret’s grace period and discards the secret that was never shown', () => {
    const rotated = { ...client, ...rotateSecret(client, made('second'), 24, now) };
    const again = { ...made('second'), hash: 'hash of another text' };
    expect({ ...rotated, ...rotateSecret(rotated, again, 24, hours(1)) }).toMatchObject({
      secret_hash: 'hash of another text',
      previous_secret_hash: 'hash of first',
      previous_secret_until: hours(24),
    });
  });
});

describe('their secrets', () => {
  let owner: Caller;
  beforeAll(async () => {
    const org = await newOrganization();
    owner = await sessionOf(org, await newMember(org, 'owner'), 'owner');
  });

  const wanted = { name: 'Portal', allowed_origins: ['https://app.example.com'] };
  const repeatable = (): Idempotency => ({ id: randomUUID(), body: 'body', explicit: true });
  const asked = (idempotency = repeatable()) => ({ ...owner, idempotency });
  // After a crash between write and response, the idempotency guard runs the request again with the same ids.
  const attempt = (idempotency: Idempotency) => ({ ...asked(idempotency), signal: new AbortController().signal });
  const hashOf = (secret?: string | null) => keyHash([pepper])(embedSecretTexts.digest(present(embedSecretTexts.parse(secret ?? ''))));
  const kept = (client?: { id?: string } | null) =>
    mongoose.connection.collection<{ _id: string }>('embed_clients').findOne({ _id: client?.id ?? '' });

  test('only the HMAC under the pepper of a secret’s SHA-256 and its first 10 characters are stored', async () => {
    const { embed_client, secret } = await call('accounts.CreateEmbedClient', wanted, owner);
    expect(secret).toMatch(/^embs_[0-9A-Za-z]{49}$/);
    expect(embed_client).toMatchObject({ id: expect.stringMatching(/^emb_[0-9a-f]{32}$/), secret_prefix: secret.slice(0, 10) });
    expect(await kept(embed_client)).toMatchObject({ secret_hash: hashOf(secret) });
  });

  test('the database contains no secret, even after requests with an Idempotency-Key created or rotated it', async () => {
    const made = await call('accounts.CreateEmbedClient', wanted, asked());
    const rotated = await call('accounts.RotateEmbedClient', { embed_client_id: made.embed_client?.id ?? '', grace_hours: 1 }, asked());
    const stolen = await stolenDatabase();
    for (const { secret } of [made, rotated]) {
      expect(stolen.includes(secret.slice(0, 10))).toBe(secret === rotated.secret);
      expect(stolen.includes(secret.slice(10))).toBe(false);
      expect(stolen.toString('latin1')).not.toContain(Buffer.from(secret).toString('base64').slice(0, -4));
    }
  });

  test('if the process dies after creating an embed client, the retry returns that client with a working secret', async () => {
    const idempotency = repeatable();
    const create = createEmbedClient(keyHash([pepper]));
    const lost = await create.run(wanted, attempt(idempotency));
    const shown = await create.run(wanted, attempt(idempotency));
    expect(shown.embed_client?.id).toBe(lost.embed_client?.id);
    expect(await kept(lost.embed_client as { id: string })).toMatchObject({
      secret_hash: hashOf(shown.secret),
      previous_secret_hash: null,
    });
  });

  test('if the process dies after rotating a secret, the retry returns a working one, and the old one keeps its grace period', async () => {
    const old = await call('accounts.CreateEmbedClient', wanted, owner);
    const idempotency = repeatable();
    const rotate = rotateEmbedClient(keyHash([pepper]));
    const request = { embed_client_id: old.embed_client?.id ?? '', grace_hours: 24 };
    await rotate.run(request, attempt(idempotency));
    const shown = await rotate.run(request, attempt(idempotency));
    expect(await kept(old.embed_client)).toMatchObject({ secret_hash: hashOf(shown.secret), previous_secret_hash: hashOf(old.secret) });
  });
});

describe('a member that leaves', () => {
  const people = async () => {
    const org = await newOrganization();
    const [owner, leaver] = [await newMember(org, 'owner'), await newMember(org, 'developer')];
    return { owner: await sessionOf(org, owner, 'owner'), leaver: await sessionOf(org, leaver, 'developer'), leaverId: leaver };
  };
  const make = (name: string, caller: Caller) =>
    call('accounts.CreateEmbedClient', { name, allowed_origins: ['https://app.example.com'] }, caller);
  const opens = (client: { embed_client?: { id?: string } | null; secret: string }) => {
    const secret_digest = embedSecretTexts.digest(present(embedSecretTexts.parse(client.secret)));
    const gateway = serviceCaller('gateway', '', 60_000);
    return call(
      'identity.VerifyEmbedClient',
      { embed_client_id: client.embed_client?.id ?? '', secret_digest, network: 'n' },
      gateway,
    ).then(
      () => true,
      () => false,
    );
  };

  test.each([
    [true, 'ends the secrets of'],
    [false, 'leaves and lists'],
  ])('removed with revoke_keys=%s %s the embed clients that it made or rotated, and no others', async (revoke_keys) => {
    const { owner, leaver, leaverId } = await people();
    const made = await make('made', leaver);
    const theirs = await make('rotated', owner);
    const rotated = await call('accounts.RotateEmbedClient', { embed_client_id: theirs.embed_client?.id ?? '', grace_hours: 24 }, leaver);
    const untouched = await make('untouched', owner);
    expect(rotated.embed_client).toMatchObject({ created_by: expect.any(String), rotated_by: leaverId });
    const { embed_clients } = await call('accounts.RemoveMember', { member_id: leaverId, revoke_keys }, owner);
    expect(embed_clients.map(({ name }) => name).toSorted()).toEqual(['made', 'rotated']);
    const known = [made, rotated, theirs];
    expect(await Promise.all(known.map(opens))).toEqual(revoke_keys ? [false, false, false] : [true, true, true]);
    expect(await opens(untouched)).toBe(true);
    const again = await call('accounts.RotateEmbedClient', { embed_client_id: made.embed_client?.id ?? '', grace_hours: 0 }, owner);
    expect(await opens(again)).toBe(true);
  });
});
