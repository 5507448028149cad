import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { NameServer } from '@webkiln/outbound/testing';
import { makeProject } from '../contract/fixtures.ts';
import { hops } from '../faults/runs/access/revocation.ts';
import { eventually } from '../harness/agency.ts';
import { owner } from '../harness/person.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { visit } from '../harness/visitor.ts';

/** Less than the 10 s after which a cached name is looked up again: by then the change itself has arrived. */
const maxDelayMs = 8_000;

/** RATE_LIMIT by default. */
const requestsPerWindow = 100;

let names: NameServer;
let platform: TestPlatform;
beforeAll(async () => {
  names = await NameServer.start();
  platform = await startPlatform({ gateways: 2, env: { OUTBOUND_DNS_SERVERS: names.address, RATE_WINDOW_MS: '600000' } });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await names[Symbol.asyncDispose]();
});

test('a custom domain is visited at every gateway as soon as its records are found, and no more after its removal', async () => {
  const { origins } = platform.facts;
  const { api } = await owner({ platform: platform.facts });
  const project = await makeProject(api);
  (await api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': '<h1>Fresh bread</h1>' } })).expect(200);
  const name = `www.${randomBytes(6).toString('hex')}.com`;
  const { domain } = (await api.post(`/projects/${project.id}/domains`, { domain: name })).expect(201).body;
  const mayHaveCertificate = async () => (await platform.fetchInternal('sites', `/tls/ask?domain=${name}`)).ok;
  for (const origin of origins) expect((await visit(origin, `http://${name}/`)).status).toBe(421);
  expect(await mayHaveCertificate()).toBe(false);

  const records = domain.dns_records as { type: string; name: string; value: string }[];
  names.zone = Object.fromEntries(records.map(({ type, name, value }) => [name, { [type]: type === 'CNAME' ? value : [value] }]));
  const active = (await api.post(`/projects/${project.id}/domains/${domain.id}/verify`, {})).expect(200).body.domain;
  expect(active).toMatchObject({ status: 'active', is_primary: true });
  for (const { lastMs, slowestMs } of await Promise.all(origins.map((origin) => visitUntilShown(origin, name)))) {
    expect(lastMs).toBeLessThanOrEqual(maxDelayMs + hops * slowestMs);
  }
  await eventually(async () => expect(await mayHaveCertificate()).toBe(true));

  (await api.delete(`/projects/${project.id}/domains/${domain.id}`)).expect(200);
  for (const origin of origins) {
    await eventually(async () => expect((await visit(origin, `http://${name}/`)).status).toBe(421));
  }
  await eventually(async () => expect(await mayHaveCertificate()).toBe(false));
});

/** Visits a domain until it shows its site. Returns when the last visit in vain was sent, and how long one took. */
async function visitUntilShown(origin: string, name: string): Promise<{ lastMs: number; slowestMs: number }> {
  const since = performance.now();
  let [lastMs, slowestMs] = [0, 0];
  for (;;) {
    const sentMs = performance.now() - since;
    const { text } = await visit(origin, `http://${name}/`);
    slowestMs = Math.max(slowestMs, performance.now() - since - sentMs);
    if (text.includes('Fresh bread')) return { lastMs, slowestMs };
    lastMs = sentMs;
    await pause(100);
  }
}

test('a network that asks for many names without a site gets 429, for labels and domains; sites in memory stay there for it', async () => {
  const { origins, sitesOrigin } = platform.facts;
  const [origin = ''] = origins;
  const { api } = await owner({ platform: platform.facts });
  const project = await makeProject(api, undefined, { name: `Bakery ${randomBytes(6).toString('hex')}` });
  const { url } = (await api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'Bread' } })).expect(200).body;
  expect((await visit(origin, url)).text).toContain('Bread');
  const at = (label: string) => sitesOrigin.replace('://', `://${label}.`);
  const statuses: number[] = [];
  for (let asked = 0; asked <= requestsPerWindow + 1; asked++) statuses.push((await visit(origin, at(`nobody-${asked}`))).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([404, 429]);
  expect((await visit(origin, `http://www.${randomBytes(6).toString('hex')}.com/`)).status).toBe(429);
  expect((await visit(origin, url)).text).toContain('Bread');
});
