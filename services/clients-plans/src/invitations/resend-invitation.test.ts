import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { loseOutcome } from '../testing/died-attempt.ts';
import { refusal } from '../testing/expectations.ts';
import { useIdentity } from '../testing/identity-process.ts';
import { newClient } from '../testing/records.ts';
import { newOrganization, repeatable, useClientsPlans } from '../testing/running-service.ts';
import { published } from '../testing/test-stream.ts';

const identity = useIdentity();
const stream = useClientsPlans(identity.address);

const resend = (org: string, client_id: string, key = newOrganization()) =>
  call('clients.ResendInvitation', { client_id }, testCaller(org, repeatable(key)));
const invitationsOf = async (org: string) => {
  const events = await published(stream, 'internal.client.invited');
  return events.filter(({ org_id }) => org_id === org).map(({ data }) => data.invitation);
};

test('the response is the client with a new etag, and one more invitation is sent', async () => {
  const org = newOrganization();
  const client_id = await newClient(org, { email: 'ada@example.com' });
  expect(await resend(org, client_id)).toMatchObject({ client: { id: client_id, status: 'invited' }, etag: '"r2"' });
  expect(await invitationsOf(org)).toEqual([2]);
});

test('no public field changes, so client.updated is not raised', async () => {
  const org = newOrganization();
  await resend(org, await newClient(org, { email: 'ada@example.com' }));
  expect((await published(stream, 'client.updated')).filter(({ org_id }) => org_id === org)).toEqual([]);
});

test('concurrently requested invitations get consecutive numbers', async () => {
  const org = newOrganization();
  const client_id = await newClient(org, { email: 'ada@example.com' });
  await Promise.all([resend(org, client_id), resend(org, client_id), resend(org, client_id)]);
  expect(await invitationsOf(org)).toEqual([2, 3, 4]);
});

test('a retry after a crash sends nothing twice, and its link stays valid', async () => {
  const org = newOrganization();
  const key = newOrganization();
  const client_id = await newClient(org, { email: 'ada@example.com' });
  const first = await resend(org, client_id, key);
  await loseOutcome(key);
  expect(await resend(org, client_id, key)).toEqual(first);
  expect(await invitationsOf(org)).toEqual([2]);
});

test.each(['suspended', 'churned'])('a client that is %s is not invited again', async (status) => {
  const org = newOrganization();
  const client_id = await newClient(org, { email: 'ada@example.com' });
  await call('clients.UpdateClient', { client_id, status, update_mask: ['status'] }, testCaller(org));
  await expect(resend(org, client_id)).rejects.toEqual(refusal('invitation_not_pending'));
  expect(await invitationsOf(org)).toEqual([]);
});

test('another organization’s id, an unknown id and a malformed id all give client_not_found', async () => {
  const owner = newOrganization();
  const foreign = await newClient(owner, { email: 'ada@example.com' });
  for (const client_id of [foreign, newOrganization(), 'nonsense']) {
    await expect(resend(newOrganization(), client_id)).rejects.toEqual(refusal('client_not_found'));
  }
  expect(await invitationsOf(owner)).toEqual([]);
});
