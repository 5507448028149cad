import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { Keyring } from '@webkiln/sealing';
import { scoped } from '@webkiln/store';
import { testCaller, until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newWebhook, present, refusal, repeatable, someHook } from '../testing/calls.ts';
import { keptDelivery, keptStatuses } from '../testing/deliveries.ts';
import { masterKey, maxEndpoints, secrets, useWebhooks } from '../testing/running-service.ts';
import { rotateWebhookSecret } from './change-webhook.ts';
import { createWebhook } from './create-webhook.ts';
import { changeEndpoint, type EndpointState, openEndpoint } from './endpoint.ts';
import { addEndpoint, EndpointModel, existingEndpoint } from './endpoint-store.ts';
import { resealSecrets, SigningSecrets } from './signing-secrets.ts';

describe('endpoints', () => {
  useWebhooks();

  describe('a webhook', () => {
    const now = '2026-01-02T03:04:05.678Z';
    const draft = { _id: 'e', org_id: 'o', url: 'https://a.example/', place: 3, secret: 'sealed', shown_to: null };
    const { state: fresh } = openEndpoint({ ...draft, events: ['client.created', 'form.submitted', 'client.created'] }, now);
    const failing: EndpointState = { ...fresh, failing_since: new Date(now) };
    const disabled: EndpointState = { ...failing, is_active: false, disabled_reason: 'failing' };

    test('a new endpoint is active, and its events are unique and in the given order', () => {
      expect(fresh).toMatchObject({ is_active: true, events: ['client.created', 'form.submitted'], failing_since: null, created_at: now });
    });

    test('a change without a difference is null', () => {
      expect(
        changeEndpoint(fresh, { url: fresh.url, events: ['client.created', 'client.created', 'form.submitted'], is_active: true }),
      ).toBeNull();
    });

    test('a new address resets the failure record, new events do not', () => {
      expect(changeEndpoint(failing, { url: 'https://b.example/' })?.state).toEqual({ url: 'https://b.example/', failing_since: null });
      expect(changeEndpoint(failing, { events: ['client.updated'] })?.state).toEqual({ events: ['client.updated'] });
    });

    test('activation clears the reason for disabling and raises no event', () => {
      const state = { is_active: true, failing_since: null, disabled_reason: null };
      expect(changeEndpoint(disabled, { is_active: true })).toEqual({ state, events: [] });
    });

    test('deactivation raises an event, so that pending deliveries are skipped', () => {
      const events = [{ type: 'internal.webhook.paused', data: { webhook_id: 'e' } }];
      expect(changeEndpoint(fresh, { is_active: false })).toEqual({ state: { is_active: false }, events });
    });
  });

  describe('a created webhook', () => {
    const request = { url: someHook, events: ['client.created'] };
    const total = async (org: string) => (await call('webhooks.ListWebhooks', {}, testCaller(org))).total;

    test("concurrent creations never exceed an organization's limit", async () => {
      const org = randomUUID();
      const outcomes = await Promise.allSettled(Array.from({ length: maxEndpoints + 5 }, () => newWebhook(org)));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused.map(({ reason }) => reason)).toEqual(Array(5).fill(refusal('quota_exceeded')));
      expect(await total(org)).toBe(maxEndpoints);
    });

    test('a deleted webhook frees its place', async () => {
      const org = randomUUID();
      const made = await Promise.all(Array.from({ length: maxEndpoints }, () => newWebhook(org)));
      await call('webhooks.DeleteWebhook', { webhook_id: made[2]?.id }, testCaller(org));
      await newWebhook(org);
      await expect(newWebhook(org)).rejects.toEqual(refusal('quota_exceeded'));
    });

    test('after the limit was lowered, none is added until enough are deleted', async () => {
      const org = randomUUID();
      await Promise.all(Array.from({ length: 3 }, () => newWebhook(org)));
      const outbound = { assertAllowed: async () => undefined };
      const fewer = createWebhook({ outbound, secrets, actingMember: async () => null, maxEndpoints: async () => 2 });
      await expect(fewer.run(request, testCaller(org))).rejects.toEqual(refusal('quota_exceeded'));
    });

    test('webhooks beyond a lowered limit count: of many at once, only as many are added as it leaves room for', async () => {
      const org = randomUUID();
      const add = (limit: number) =>
        addEndpoint({ org_id: org }, limit, (place) => {
          const opened = { _id: randomUUID(), org_id: org, url: someHook, events: ['client.created' as const], place, secret: 'sealed' };
          return openEndpoint({ ...opened, shown_to: null }, new Date().toISOString());
        });
      // Their places are spread over those of the high limit.
      await Promise.all(Array.from({ length: 10 }, () => add(1_000)));
      const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => add(15)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      expect(await total(org)).toBe(15);
    });

    test('a forbidden address is refused with the reason, and nothing is created', async () => {
      const org = randomUUID();
      const reason = { path: 'url', message: expect.stringContaining('10.0.0.1') };
      await expect(newWebhook(org, { url: 'https://10.0.0.1/hook' })).rejects.toMatchObject({ code: 'url_not_allowed', details: [reason] });
      expect(await total(org)).toBe(0);
    });

    test('if the process dies after creating a webhook, the retry returns that webhook with its secret', async () => {
      const org = randomUUID();
      const outbound = { assertAllowed: async () => undefined };
      // The limit is one, so the retry must not need a second place.
      const create = createWebhook({ outbound, secrets, actingMember: async () => null, maxEndpoints: async () => 1 });
      const { idempotency } = repeatable();
      const attempt = () => create.run(request, testCaller(org, { idempotency }));
      const lost = await attempt();
      expect(await attempt()).toEqual(lost);
      expect(await total(org)).toBe(1);
    });
  });

  describe('a rotation', () => {
    const hourMs = 3600_000;

    async function rotate(org: string, webhook_id: string): Promise<string> {
      const { webhook } = await call('webhooks.RotateWebhookSecret', { webhook_id }, testCaller(org));
      return present(webhook).secret;
    }

    async function signing(org: string, id: string, inMs = 0): Promise<string[]> {
      return secrets.signing(await existingEndpoint({ org_id: org }, id), new Date(Date.now() + inMs));
    }

    test('deliveries are signed by one secret, and for 24 hours after a rotation by both, the new one first', async () => {
      const org = randomUUID();
      const { id, secret } = await newWebhook(org);
      expect(await signing(org, id)).toEqual([secret]);
      const fresh = await rotate(org, id);
      expect(await signing(org, id)).toEqual([fresh, secret]);
      expect(await signing(org, id, 23.9 * hourMs)).toEqual([fresh, secret]);
      expect(await signing(org, id, 24 * hourMs)).toEqual([fresh]);
    });

    test('after several rotations in a row each secret of the last day signs, at most twenty; after the day only the new one', async () => {
      const org = randomUUID();
      const { id, secret } = await newWebhook(org);
      const [second, third] = [await rotate(org, id), await rotate(org, id)];
      expect(await signing(org, id)).toEqual([third, second, secret]);
      expect(await signing(org, id, 24 * hourMs)).toEqual([third]);
      const later: unknown[] = [];
      for (let time = 0; time < 20; time++) later.unshift(await rotate(org, id));
      expect(await signing(org, id)).toEqual(later);
    });

    test('if the process dies after rotating a secret, the retry returns the new one without rotating again', async () => {
      const org = randomUUID();
      const { id, secret } = await newWebhook(org);
      const { run } = rotateWebhookSecret({
        outbound: { assertAllowed: async () => undefined },
        secrets,
        actingMember: async () => null,
        maxEndpoints: async () => maxEndpoints,
      });
      const { idempotency } = repeatable();
      const attempt = () => run({ webhook_id: id }, testCaller(org, { idempotency, ifMatch: '"r1"' }));
      const lost = await attempt();
      expect(await attempt()).toEqual(lost);
      expect(await signing(org, id)).toEqual([lost.webhook?.secret, secret]);
    });

    test("another organization's secret cannot be rotated", async () => {
      const org = randomUUID();
      const { id, secret } = await newWebhook(org);
      await expect(rotate(randomUUID(), id)).rejects.toEqual(refusal('webhook_not_found'));
      expect(await signing(org, id)).toEqual([secret]);
    });
  });

  describe('a stopped webhook', () => {
    const due = () => ({ status: 'pending' as const, due_at: new Date(Date.now() + 3600_000) });
    const pause = (org: string, webhook_id: string, is_active = false) =>
      call('webhooks.UpdateWebhook', { webhook_id, is_active, update_mask: ['is_active'] }, testCaller(org));

    test('pending deliveries of a deactivated webhook are skipped, and nothing else changes', async () => {
      const org = randomUUID();
      const [paused, other] = [await newWebhook(org), await newWebhook(org)];
      const waiting = await Promise.all(Array.from({ length: 3 }, () => keptDelivery(org, paused.id, due())));
      const delivered = await keptDelivery(org, paused.id);
      const failed = await keptDelivery(org, paused.id, { status: 'failed' });
      const others = await keptDelivery(org, other.id, due());
      await pause(org, paused.id);
      const skipped = Object.fromEntries(waiting.map((id) => [id, 'skipped']));
      await until(async () => Object.values(await keptStatuses(org, paused.id)).every((status) => status !== 'pending'));
      expect(await keptStatuses(org, paused.id)).toEqual({ ...skipped, [delivered]: 'delivered', [failed]: 'failed' });
      expect(await keptStatuses(org, other.id)).toEqual({ [others]: 'pending' });
    });

    test("deliveries created after a webhook's reactivation are not skipped", async () => {
      const org = randomUUID();
      const { id } = await newWebhook(org);
      const before = await keptDelivery(org, id, due());
      const later = await keptDelivery(org, id, { ...due(), created_at: new Date(Date.now() + 60_000).toISOString() });
      await pause(org, id);
      await until(async () => (await keptStatuses(org, id))[before] === 'skipped');
      expect((await keptStatuses(org, id))[later]).toBe('pending');
    });

    test('all deliveries of a deleted webhook are deleted, and no others', async () => {
      const org = randomUUID();
      const [gone, other] = [await newWebhook(org), await newWebhook(org)];
      await Promise.all([keptDelivery(org, gone.id), keptDelivery(org, gone.id, due()), keptDelivery(org, gone.id, { status: 'failed' })]);
      const kept = await keptDelivery(org, other.id);
      await call('webhooks.DeleteWebhook', { webhook_id: gone.id }, testCaller(org));
      await until(async () => Object.keys(await keptStatuses(org, gone.id)).length === 0);
      expect(await keptStatuses(org, other.id)).toEqual({ [kept]: 'delivered' });
      await until(async () => (await scoped(EndpointModel, { org_id: `deleted:${gone.id}` }).count({})) === 0);
    });

    test('skipping and deleting cover more deliveries than one batch', async () => {
      const org = randomUUID();
      const { id } = await newWebhook(org);
      await Promise.all(Array.from({ length: 2_500 }, () => keptDelivery(org, id, due())));
      await pause(org, id);
      await until(async () => Object.values(await keptStatuses(org, id)).every((status) => status === 'skipped'));
      await call('webhooks.DeleteWebhook', { webhook_id: id }, testCaller(org));
      await until(async () => Object.keys(await keptStatuses(org, id)).length === 0);
    });
  });
});

describe('secrecy', () => {
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
});
