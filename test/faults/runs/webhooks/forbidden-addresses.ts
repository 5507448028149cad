import { connectStore, defineModel, disconnectStore, scoped } from '@webkiln/store';
import { type Agency, agency, eventually } from '../../../harness/agency.ts';
import type { ApiResponse } from '../../../harness/api.ts';
import { startPlatform, type TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { HostileNetwork } from './hostile-network.ts';

const concurrency = 8;
const unlimited = 1_000_000;
const events = ['client.created'];

/** The webhooks service's own collection. A URL in it may have been saved under earlier, laxer rules. */
const Endpoints = defineModel<{ url: string }>('endpoints', { url: String }, { indexes: [] });

/** Settings of a platform in this network. */
export const settingsIn = (network: HostileNetwork): NodeJS.ProcessEnv => ({ ...network.env, QUOTA_WEBHOOKS: '1000' });

/** Tries them on a platform of its own. */
export async function refuseAddressesAlone(): Promise<Outcome> {
  await using network = await HostileNetwork.start();
  await using platform = await startPlatform({ env: settingsIn(network) });
  return await refuseForbiddenAddresses(platform, network);
}

/** Tries every form of an internal address at create, patch, test and send of a webhook. */
export async function refuseForbiddenAddresses(
  platform: TestPlatform,
  network: HostileNetwork,
  { seed = chooseSeed() } = {},
): Promise<Outcome> {
  const findings = new Findings();
  const ours = await agency(platform.facts, { rateLimit: unlimited });
  await refuseToSave(ours, network, findings);
  const ids = await saveForbidden(platform, ours, network);
  await refuseToSend(ours, ids, findings);
  await refuseToTest(ours, ids, findings);
  const reached = network.connections;
  findings.check(reached === 0, `${reached} connections reached the listener`);
  findings.check(await network.isWatched(), 'the listener does not count connections');
  const { length } = network.urls;
  const figure = `${length} spellings at create, patch, test and send: ${reached} reached`;
  return { seed, tries: 4 * length, figure, failures: findings.failures };
}

/** Neither POST nor PATCH may accept a forbidden URL. */
async function refuseToSave({ api }: Agency, { urls }: HostileNetwork, findings: Findings): Promise<void> {
  const isRefused = (what: string, url: string, { status, body }: ApiResponse) =>
    findings.check(status === 400 && /^url/.test(body.details?.[0]?.path), `${what} ${url} was answered ${status} ${JSON.stringify(body)}`);
  await mapConcurrently(urls, async (url) => isRefused('create', url, await api.post('/webhooks', { url, events })));
  const { webhook } = (await api.post('/webhooks', { url: 'https://later.example/', events })).expect(201).body;
  await mapConcurrently(urls, async (url) => isRefused('patch', url, await api.patch(`/webhooks/${webhook.id}`, { url })));
  const { webhooks } = (await api.get('/webhooks')).expect(200).body;
  findings.check(webhooks.length === 1 && webhooks[0].url === 'https://later.example/', `saved: ${JSON.stringify(webhooks)}`);
  (await api.delete(`/webhooks/${webhook.id}`)).expect(200);
}

/**
 * Makes webhooks with forbidden addresses. Host names are public while they are saved; other URLs are written to the
 * store directly.
 */
async function saveForbidden({ facts }: TestPlatform, { api, organization }: Agency, network: HostileNetwork): Promise<string[]> {
  await connectStore(facts.urls.MONGODB_URL, 'webkiln_webhooks');
  network.show('public');
  const ids = await mapConcurrently(network.urls, async (url, index) => {
    const saved = await api.post('/webhooks', { url, events });
    if (saved.status === 201) return saved.body.webhook.id;
    const { id } = (await api.post('/webhooks', { url: `https://later-${index}.example/`, events })).expect(201).body.webhook;
    await scoped(Endpoints, { org_id: organization.id }).updateOne({ _id: id }, { $set: { url } });
    return id;
  });
  network.show('inside');
  await disconnectStore();
  return ids;
}

async function refuseToSend({ api }: Agency, ids: readonly string[], findings: Findings): Promise<void> {
  (await api.post('/clients', { name: 'Kiln', email: 'kiln@example.com' })).expect(201);
  await mapConcurrently(ids, async (id) => {
    const delivery = await eventually(async () => {
      const { deliveries } = (await api.get(`/webhooks/${id}/deliveries?event=client.created`)).expect(200).body;
      if (!deliveries[0]?.attempts[0]) throw new Error('no attempt yet');
      return deliveries[0];
    });
    findings.check(refused(delivery), `send: ${JSON.stringify(delivery)}`);
  });
}

async function refuseToTest({ api }: Agency, ids: readonly string[], findings: Findings): Promise<void> {
  await mapConcurrently(ids, async (id) => {
    const { delivery } = (await api.post(`/webhooks/${id}/test`, {})).expect(200).body;
    findings.check(refused(delivery), `test: ${JSON.stringify(delivery)}`);
  });
}

/** Messages of a refusal by the address rules. A network error would mean that a connection was attempted. */
const refusal = /not a public address|that is not public|must begin with|must be a URL|must not contain|is not allowed|is longer than/;

const refused = ({ status, attempts: [attempt] }: { status: string; attempts: { status_code: number | null; reason: string | null }[] }) =>
  status !== 'delivered' && attempt?.status_code === null && refusal.test(attempt.reason ?? '');

/** Maps items with bounded concurrency. Results keep the order of the items. */
async function mapConcurrently<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const worker = async () => {
    for (const [index, item] of entries) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}
