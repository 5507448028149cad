import { randomUUID } from 'node:crypto';
import { agency, eventually } from '../../../harness/agency.ts';
import { Api } from '../../../harness/api.ts';
import { embedPair, requestSession } from '../../../harness/embed-session.ts';
import { localReceivers } from '../../../harness/local-receivers.ts';
import { owner } from '../../../harness/person.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { visit } from '../../../harness/visitor.ts';
import { ReadyGateways } from '../outages/ready-gateways.ts';
import { type LoadRequest, SteadyLoad } from '../outages/steady-load.ts';
import { Findings, type Outcome } from '../outcome.ts';
import { verifiedWebhook } from '../webhooks/verified-webhook.ts';
import { invite, previewOf, statusOf } from './opened-links.ts';
import { SecretFiles, type SecretOrder, settings } from './secret-files.ts';
import { makeSignedThings, refuseSignedThings, useSecondFactor, useSignedThings } from './signed-things.ts';
import { SigningKeys } from './signing-keys.ts';

const perSecond = 20;
const keyCount = 20;
/** The processes that read them, then the gateways, which forget the credentials that they have cached. */
const restarted = ['identity', 'clients-plans', 'projects-templates', 'webhooks', 'gateway'] as const;

/** The secrets and signing keys of a platform that are rotated. */
export class RotatedSecrets implements Disposable {
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
export async function rotateUnderLoad(platform: TestPlatform, secrets: RotatedSecrets): Promise<Outcome> {
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
