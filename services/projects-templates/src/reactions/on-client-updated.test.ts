import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from '@webkiln/contract';
import { startRelay } from '@webkiln/events';
import { Change } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { defineModel, insertChange } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import { newProject, present, publish, sites } from '../testing/calls.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { publishedEvents } from '../testing/test-stream.ts';
import { onClientUpdated } from './on-client-updated.ts';

/** Stands in for the model of clients-plans that raises the event. */
const ClientRecords = defineModel<{ _id: string; org_id: string }>('client_records', {}, { raisesEvents: true });
const stream = useProjectsTemplates();
beforeAll(() => {
  startRelay();
  onClientUpdated();
});

type FakeClient = ReturnType<typeof fakeClient>;

/** Changes the client's status and publishes the event. */
async function setStatus(client: FakeClient, status: Client['status']): Promise<void> {
  const previous = { status: client.status as Client['status'] };
  client.status = status;
  const { client_id: id, email } = client;
  const shown: Client = {
    id,
    email,
    name: null,
    company: null,
    status,
    plan_id: null,
    payment_status: 'none',
    created_at: new Date().toISOString(),
  };
  await insertChange(
    ClientRecords,
    { org_id: client.org_id },
    new Change({ _id: randomUUID() }, [{ type: 'client.updated', data: { client: shown, previous } }]),
  );
}

const suspended = async (name: string) => (await call('sites.ResolveSite', { name }, sites())).suspended;
const named = () => `Site ${randomBytes(6).toString('hex')}`;

async function publishedOf(client: FakeClient): Promise<string> {
  const { id } = await newProject(client.org_id, { client, name: named() });
  const { project } = await publish(client.org_id, id, { 'index.html': 'Hi' });
  return present(present(project).subdomain);
}

test.each(['suspended', 'churned'] as const)(
  "a client that is %s has suspended sites until it is active again; other clients' sites stay up",
  async (status) => {
    const org = randomUUID();
    const client = fakeClient(org);
    const [site, another] = [await publishedOf(client), await publishedOf(fakeClient(org))];
    expect(await suspended(site)).toBe(false);
    await setStatus(client, status);
    await until(() => suspended(site));
    expect(await suspended(another)).toBe(false);
    await setStatus(client, 'active');
    await until(async () => !(await suspended(site)));
    const changes = (await publishedEvents(stream, org)).filter(
      ({ type, data }) => type === 'internal.site.changed' && 'name' in data && data.name === site,
    );
    expect(changes).toHaveLength(3);
  },
);

test('a site first published while its client is suspended is suspended from the start', async () => {
  const org = randomUUID();
  const client = fakeClient(org);
  const { id } = await newProject(org, { client, name: named() });
  client.status = 'suspended';
  const { project } = await publish(org, id, { 'index.html': 'Hi' });
  expect(await suspended(present(present(project).subdomain))).toBe(true);
});

test('after concurrent publishes and status changes the site has the status of its client', async () => {
  const org = randomUUID();
  const client = fakeClient(org);
  const { id } = await newProject(org, { client, name: named() });
  for (const status of ['suspended', 'active', 'churned', 'active', 'suspended'] as const) {
    const publishes = ['1', '2'].map((text) => publish(org, id, { 'index.html': `${status} ${text}` }));
    const [first] = await Promise.all([...publishes, setStatus(client, status)]);
    const site = present(first?.project?.subdomain);
    await until(async () => (await suspended(site)) === (status !== 'active'));
  }
});
