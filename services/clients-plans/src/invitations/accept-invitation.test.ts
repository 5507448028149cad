import { servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { present, refusal } from '../testing/expectations.ts';
import { useIdentity } from '../testing/identity-process.ts';
import { newClient } from '../testing/records.ts';
import { activationPage, newOrganization, projectsTemplates, tokens, useClientsPlans } from '../testing/running-service.ts';
import { published } from '../testing/test-stream.ts';

const identity = useIdentity();
const stream = useClientsPlans(identity.address);

const password = 'correct horse battery';

/** Creates an invited client and returns it with the token of its mail. */
async function invite(email = `${newOrganization()}@example.com`) {
  const org = newOrganization();
  const client_id = await newClient(org, { email });
  return { org, email, client_id, token: tokens.issue({ org_id: org, client_id, invitation: 1 }, new Date()) };
}

const look = (token: string) => call('clients.GetInvitation', { token }, activationPage());
const accept = (token: string, secret = password) => call('clients.AcceptInvitation', { token, password: secret }, activationPage());
const statusOf = async (org: string, client_id: string) =>
  present((await call('clients.GetClient', { client_id }, testCaller(org))).client).status;
const setStatus = (org: string, client_id: string, status: string) =>
  call('clients.UpdateClient', { client_id, status, update_mask: ['status'] }, testCaller(org));
const updatesOf = async (org: string) => (await published(stream, 'client.updated')).filter(({ org_id }) => org_id === org);

test('an invited client that sets a password becomes active, and its account belongs to the user fixed at creation', async () => {
  const { org, email, client_id, token } = await invite();
  expect(await look(token)).toEqual({ email, has_account: false, accepted: false, org_id: org });
  expect(await accept(token)).toEqual({ email, org_id: org });
  expect(await look(token)).toEqual({ email, has_account: true, accepted: true, org_id: org });
  expect(await statusOf(org, client_id)).toBe('active');
  const { user_id } = await call('clients.GetSiteAllowance', { client_email: email }, projectsTemplates(org));
  expect(await identity.accountOf(user_id)).not.toBeNull();
});

test('activation is published once, however often the link is followed', async () => {
  const { org, token } = await invite();
  await accept(token);
  await Promise.all([accept(token), accept(token)]);
  expect((await updatesOf(org)).map(({ data }) => data.previous)).toEqual([{ status: 'invited' }]);
});

test('a retry completes an attempt that ended after creating the account', async () => {
  const { org, email, client_id, token } = await invite();
  const { user_id } = await call('clients.GetSiteAllowance', { client_email: email }, projectsTemplates(org));
  await call('identity.ActivateUser', { user_id, email, password }, testCaller(org, { principal: servicePrincipal('clients-plans', org) }));
  expect(await look(token)).toEqual({ email, has_account: true, accepted: false, org_id: org });
  await accept(token);
  expect(await statusOf(org, client_id)).toBe('active');
});

test('an invitation to an address with an account is accepted only with its password, in every organization', async () => {
  const first = await invite();
  await accept(first.token);
  const second = await invite(first.email.toUpperCase());
  expect(await look(second.token)).toMatchObject({ has_account: true, accepted: false });
  await expect(accept(second.token, 'another password')).rejects.toEqual(refusal('validation_failed'));
  expect(await statusOf(second.org, second.client_id)).toBe('invited');
  await accept(second.token);
  expect(await statusOf(second.org, second.client_id)).toBe('active');
});

test('a password that is too short is refused and the client stays invited', async () => {
  const { org, client_id, token } = await invite();
  await expect(accept(token, 'short')).rejects.toEqual(refusal('validation_failed'));
  expect(await statusOf(org, client_id)).toBe('invited');
});

test('sending the invitation again invalidates the old link, and the new one works', async () => {
  const { org, client_id, token } = await invite();
  await call('clients.ResendInvitation', { client_id }, testCaller(org));
  await expect(look(token)).rejects.toEqual(refusal('invitation_not_found'));
  await expect(accept(token)).rejects.toEqual(refusal('invitation_not_found'));
  await accept(tokens.issue({ org_id: org, client_id, invitation: 2 }, new Date()));
  expect(await statusOf(org, client_id)).toBe('active');
});

test.each(['suspended', 'churned'])('the link of a client that is %s does not work', async (status) => {
  const { org, client_id, token } = await invite();
  await setStatus(org, client_id, status);
  await expect(look(token)).rejects.toEqual(refusal('invitation_not_found'));
  await expect(accept(token)).rejects.toEqual(refusal('invitation_not_found'));
  expect(await statusOf(org, client_id)).toBe(status);
});

test('a client made active by the agency still sets its password, by its first link or another one', async () => {
  for (const again of [false, true]) {
    const { org, email, client_id, token } = await invite();
    await setStatus(org, client_id, 'active');
    if (again) await call('clients.ResendInvitation', { client_id }, testCaller(org));
    const link = again ? tokens.issue({ org_id: org, client_id, invitation: 2 }, new Date()) : token;
    expect(await look(link)).toMatchObject({ has_account: false, accepted: false });
    expect(await accept(link)).toEqual({ email, org_id: org });
    expect(await look(link)).toMatchObject({ has_account: true, accepted: true });
  }
});

test('an activated client is not invited again', async () => {
  const { org, client_id, token } = await invite();
  await accept(token);
  await expect(call('clients.ResendInvitation', { client_id }, testCaller(org))).rejects.toEqual(refusal('invitation_not_pending'));
});

test('expired, forged and other organizations’ tokens all give invitation_not_found and activate nobody', async () => {
  const { org, client_id, token } = await invite();
  const eightDaysAgo = new Date(Date.now() - 8 * 24 * 3600_000);
  const refused = [
    tokens.issue({ org_id: org, client_id, invitation: 1 }, eightDaysAgo),
    tokens.issue({ org_id: newOrganization(), client_id, invitation: 1 }, new Date()),
    tokens.issue({ org_id: org, client_id: newOrganization(), invitation: 1 }, new Date()),
    token.slice(0, -1),
    '',
    'nonsense',
  ];
  for (const one of refused) {
    await expect(look(one)).rejects.toEqual(refusal('invitation_not_found'));
    await expect(accept(one)).rejects.toEqual(refusal('invitation_not_found'));
  }
  expect(await statusOf(org, client_id)).toBe('invited');
});
