import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { refusal } from '../testing/expectations.ts';
import { useIdentity } from '../testing/identity-process.ts';
import { newClient } from '../testing/records.ts';
import { newOrganization, projectsTemplates, useClientsPlans } from '../testing/running-service.ts';
import { published } from '../testing/test-stream.ts';

const identity = useIdentity();
const stream = useClientsPlans(identity.address);

const password = 'correct horse battery';
const actor = { kind: 'account', id: 'ada', agent: 'Helper' };
const admit = (org: string, email: string) => call('clients.AdmitOwnClient', { email, actor }, projectsTemplates(org));
const clientsOf = async (org: string) => (await call('clients.ListClients', { offset: 0 }, testCaller(org))).clients;

/** An organization with one member whose address is verified. */
async function agency(): Promise<{ org: string; email: string }> {
  const [org, email] = [await identity.organization('Brandt Studio'), `${newOrganization()}@example.com`];
  await identity.member(org, email, password);
  return { org, email };
}

test("a member's address makes the organization its own client: active, under its name, without a plan", async () => {
  const { org, email } = await agency();
  expect(await clientsOf(org)).toEqual([]);
  await admit(org, email.toUpperCase());
  const fields = { email, name: 'Brandt Studio', company: 'Brandt Studio', status: 'active', payment_status: 'none' };
  const [client, ...more] = await clientsOf(org);
  expect([client, more]).toEqual([{ id: expect.any(String), created_at: expect.any(String), ...fields }, []]);
  const allowance = await call('clients.GetSiteAllowance', { client_email: email }, projectsTemplates(org));
  expect(allowance).toMatchObject({ client_id: client?.id, status: 'active', joined_by_link: false });
  expect(allowance).not.toHaveProperty('max_sites');
});

test('client.created is published once, and the audit entry names who acted', async () => {
  const { org, email } = await agency();
  await admit(org, email);
  await admit(org, email);
  const ofOrg = <T extends { org_id: string }>(events: readonly T[]) => events.filter(({ org_id }) => org_id === org);
  const [client] = await clientsOf(org);
  expect(ofOrg(await published(stream, 'client.created'))).toMatchObject([{ data: { client: { id: client?.id, email } } }]);
  expect(ofOrg(await published(stream, 'internal.audited'))).toMatchObject([
    { data: { actor, action: 'client.created', target: { kind: 'client', id: client?.id } } },
  ]);
});

test('ten calls at once make one client', async () => {
  const { org, email } = await agency();
  await Promise.all(Array.from({ length: 10 }, () => admit(org, email)));
  expect(await clientsOf(org)).toHaveLength(1);
});

test("no invitation can be sent to it while the address is a member's", async () => {
  const { org, email } = await agency();
  await admit(org, email);
  const [client] = await clientsOf(org);
  const resend = call('clients.ResendInvitation', { client_id: client?.id ?? '' }, testCaller(org));
  await expect(resend).rejects.toEqual(refusal('invitation_not_pending'));
});

test("an unknown address, an unverified member's and one of another organization's member are refused alike", async () => {
  const { org } = await agency();
  const unverified = `${newOrganization()}@example.com`;
  await identity.member(org, unverified);
  for (const email of ['nobody@example.com', unverified, (await agency()).email]) {
    await expect(admit(org, email)).rejects.toEqual(refusal('client_not_found'));
  }
  expect(await clientsOf(org)).toEqual([]);
});

test("a member's address that is a client already stays the client it is", async () => {
  const { org, email } = await agency();
  const id = await newClient(org, { email, name: 'Ada' });
  await admit(org, email);
  expect(await clientsOf(org)).toMatchObject([{ id, name: 'Ada', status: 'invited' }]);
});
