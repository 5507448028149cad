import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { embedPair, requestSession } from '../harness/embed-session.ts';
import { localReceivers } from '../harness/local-receivers.ts';
import { owner } from '../harness/person.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { visit } from '../harness/visitor.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { ReadyGateways } from './runs/outages/ready-gateways.ts';
import { oneOfEachKind, restartEach, SlowModel } from './runs/outages/rolling-restart.ts';
import { type LoadRequest, SteadyLoad } from './runs/outages/steady-load.ts';
import { releasedProcesses, upgrade, upgradeSettings } from './runs/outages/upgrade.ts';
import { Findings, type Outcome } from './runs/outcome.ts';
import { SecretFiles, type SecretOrder, settings } from './runs/rotation/secret-files.ts';
import { makeSignedThings, refuseSignedThings, useSecondFactor, useSignedThings } from './runs/rotation/signed-things.ts';
import { SigningKeys } from './runs/rotation/signing-keys.ts';
import { Subscriber } from './runs/webhooks/subscriber.ts';

/** A webhook whose deliveries are verified with the secret that was shown once. */
async function verifiedWebhook(ours: Agency) {
  let subscriber: Subscriber | undefined;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.writeHead(subscriber?.receive(request.headers, body) === undefined ? 400 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  subscriber = await Subscriber.register(ours, `http://127.0.0.1:${port}/hook`, ['client.created']);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { subscriber, close };
}

/** Returns the activation link of a new client. */
async function invite({ api, invitationLink }: Agency): Promise<string> {
  const email = `${randomUUID()}@example.test`;
  (await api.post('/clients', { email })).expect(201);
  return invitationLink(email);
}

/** Returns the address of a preview of a new project. */
async function previewOf({ api, writeDraft }: Agency): Promise<string> {
  const { client } = (await api.post('/clients', { email: `${randomUUID()}@example.test` })).expect(201).body;
  (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  const { project } = (await api.post('/projects', { client_email: client.email, name: 'Shown' })).expect(201).body;
  await writeDraft(project.id, { 'index.html': '<h1>Draft</h1>' });
  return (await api.get(`/projects/${project.id}/preview`)).expect(200).body.preview_url;
}

const statusOf = async (link: string) => (await fetch(link)).status;

const perSecond = 20;
const keyCount = 20;
/** The processes that read them, then the gateways, which forget the credentials that they have cached. */
const restarted = ['identity', 'clients-plans', 'projects-templates', 'webhooks', 'gateway'] as const;

/** The secrets and signing keys of a platform that are rotated. */
class RotatedSecrets implements Disposable {
  readonly #files = new SecretFiles();
  readonly #keys = new SigningKeys(restarted);
  /** Settings of all processes, and of single ones. */
  readonly env = { ...localReceivers, REQUEST_TIMEOUT_MS: '60000', SESSION_RATE_LIMIT: '1000000', ...this.#files.env };
  readonly envOf = this.#keys.envOf;

  /** Processes that start from now on list them in this order. */
  list(order: SecretOrder): void {
    this.#files.write(order);
    this.#keys.order = order;
  }

  [Symbol.dispose](): void {
    this.#files.remove();
  }
}

/**
 * Rotates the listed secrets and the signing keys of a platform that started with them, with two gateways and two
 * replicas of each service, under load: first one replica of every service, then the other.
 */
async function rotateUnderLoad(platform: TestPlatform, secrets: RotatedSecrets): Promise<Outcome> {
  const findings = new Findings();
  const [origin = ''] = platform.facts.origins;
  const ours = await agency(platform.facts, { rateLimit: 1_000_000 });
  const boss = await owner({ platform: platform.facts });
  const pair = await embedPair(boss);
  const webhook = await verifiedWebhook(ours);
  const keys = await Promise.all(Array.from({ length: keyCount }, async () => (await ours.makeKey(['read', 'write'])).api.key ?? ''));
  const unused = (await ours.makeKey(['read'])).api;
  const kept = await makeSignedThings(platform.facts);
  const [oldLink, preview] = [await invite(ours), await previewOf(ours)];
  const previewHost = new URL(preview).host;
  const openSession = () => requestSession({ ...pair, user_id: 'user' }, {}, platform.facts);

  let sent = 0;
  const next = (): LoadRequest => {
    sent++;
    const authorization = `Bearer ${keys[sent % keyCount]}`;
    const requests: LoadRequest[] = [
      { method: 'GET', path: '/webhooks', headers: { authorization } },
      { method: 'POST', path: '/clients', body: { email: `${randomUUID()}@example.test` }, headers: { authorization } },
      { method: 'GET', path: '/', site: previewHost },
      { method: 'GET', path: '/account/members', headers: boss.headers() },
    ];
    return requests[sent % requests.length] as LoadRequest;
  };
  await using gateways = new ReadyGateways(platform);
  const load = new SteadyLoad(gateways, { perSecond, next });
  /**
   * Restarts one replica of every service at the same time, then the other, as a rollout of all deployments does. In
   * between, while half of the processes have the list, it opens embed sessions and the links more often than there are
   * pairs of them.
   */
  const restartAll = async (links: readonly string[]) => {
    for (const names of [restarted, restarted.map((name) => `${name}-2`)]) {
      await Promise.all(names.map((name) => platform.replace(name, 'SIGTERM')));
      for (let time = 0; time < restarted.length; time++) {
        findings.check((await openSession()).status === 201, `after ${names}: an embed session was refused`);
        for (const link of links) findings.check((await statusOf(link)) === 200, `after ${names}: an activation link was refused`);
      }
    }
  };
  /** Puts a list in place; what was signed before it is used after it. */
  const relist = async (order: SecretOrder, links: readonly string[]) => {
    const signed = await makeSignedThings(platform.facts);
    secrets.list(order);
    await restartAll(links);
    await useSignedThings(signed, findings, `with ${order}`);
  };
  await relist(['old', 'fresh'], [oldLink]);
  await relist(['fresh', 'old'], [oldLink]);
  const newLink = await invite(ours);
  // The grace: everything that is to last is used once while both secrets are listed.
  for (const key of keys) (await new Api(`${origin}/api/v1`, key).get('/webhooks')).expect(200);
  (await boss.api.get('/account/members')).expect(200);
  await useSecondFactor(kept, findings, 'in the grace');
  await relist(['fresh'], [newLink]);
  await load.finish();

  const failed = load.samples.filter(({ outcome }) => !(Number(outcome) < 300)).map(({ request, outcome }) => `${request}: ${outcome}`);
  for (const kind of new Set(failed)) findings.check(false, `${kind}, ${failed.filter((each) => each === kind).length} times`);
  for (const key of keys) findings.check((await new Api(`${origin}/api/v1`, key).get('/webhooks')).status === 200, 'a used key was lost');
  findings.check((await boss.api.get('/account/members')).status === 200, 'a session was lost');
  await useSecondFactor(kept, findings, 'without the old secret');
  await refuseSignedThings(kept, findings);
  findings.check((await visit(origin, preview)).status === 200, 'a preview was lost');
  findings.check((await unused.get('/webhooks')).status === 401, 'a key that was never used works without its pepper');
  findings.check((await statusOf(oldLink)) === 404, 'an activation link works without its secret');
  const made = load.samples.filter(({ outcome }) => outcome === 201).length;
  await eventually(() => {
    if (webhook.subscriber.received.size < made) throw new Error(`${webhook.subscriber.received.size} of ${made} deliveries arrived`);
  });
  webhook.close();
  for (const violation of webhook.subscriber.violations) findings.check(false, violation);
  const figure = `${load.samples.length} requests, ${failed.length} failed; ${webhook.subscriber.received.size} deliveries verified`;
  return { seed: 0, tries: 3 * (settings.length + restarted.length), figure, failures: findings.failures };
}

const services = ['identity', 'clients-plans', 'projects-templates', 'webhooks', 'sites', 'embed', 'gateway'] as const;

jest.setTimeout(faultTimeoutMs);

let platform: TestPlatform;
const parts = new AsyncDisposableStack();
const secrets = parts.use(new RotatedSecrets());
let released: Map<string, string>;
beforeAll(async () => {
  released = await releasedProcesses(services);
  const model = parts.use(await SlowModel.start());
  const env = { ...upgradeSettings, ...model.env, ...secrets.env };
  platform = parts.use(await startPlatform({ gateways: 2, replicas: 2, env, envOf: secrets.envOf, otherPrograms: released }));
});
afterAll(() => parts.disposeAsync());

test('an upgrade from the released commit, a return half way and the upgrade again fail no write and lose no event', async () => {
  expectHeld(await upgrade(platform, released, { writesPerSecond: 10, services }));
});

test('restarting a process of each kind in turn under 40 requests per second fails no request and loses no part of a stream', async () => {
  expectHeld(await restartEach(platform, { rounds: 1, restarted: oneOfEachKind, requestsPerSecond: 40, concurrentTurns: 3 }));
});

test('rotating every listed secret and the signing keys in three steps under load fails no request, loses nothing used meanwhile, and ends what the old ones made', async () => {
  expectHeld(await rotateUnderLoad(platform, secrets));
});
