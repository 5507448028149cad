import { call, type RequestOf } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { loseOutcome } from '../testing/died-attempt.ts';
import { present, refusal } from '../testing/expectations.ts';
import { useIdentity } from '../testing/identity-process.ts';
import { newClient, newPlan } from '../testing/records.ts';
import { newOrganization, projectsTemplates, repeatable, useClientsPlans } from '../testing/running-service.ts';
import { published } from '../testing/test-stream.ts';
import { type ClientState, changeClient, inviteAgain, inviteClient, isOpen } from './client.ts';
import { clientPage } from './client-store.ts';

describe('clients', () => {
  const stream = useClientsPlans();

  describe('create client', () => {
    const eventsOf = async (org_id: string) => (await published(stream, 'client.created')).filter((event) => event.org_id === org_id);
    const clientsOf = (org_id: string) => mongoose.connection.collection('clients').countDocuments({ org_id });

    test('a new client is invited, owes nothing, and has the fields that were sent', async () => {
      const org = newOrganization();
      const plan_id = await newPlan(org);
      const { client, etag } = await call(
        'clients.CreateClient',
        { email: 'Ada@Example.com', name: 'Ada', company: 'Engines', plan_id },
        testCaller(org),
      );
      expect(client).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        email: 'Ada@Example.com',
        name: 'Ada',
        company: 'Engines',
        status: 'invited',
        plan_id,
        payment_status: 'none',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      expect(etag).toBe('"r1"');
    });

    test('only the email is required; fields that are not sent are absent', async () => {
      const { client } = await call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(newOrganization()));
      expect(client).not.toHaveProperty('name');
      expect(client).not.toHaveProperty('company');
      expect(client).not.toHaveProperty('plan_id');
    });

    test('exactly one client.created per client is on the stream, with the public record', async () => {
      const org = newOrganization();
      const { client } = await call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(org));
      expect(await eventsOf(org)).toEqual([
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          type: 'client.created',
          timestamp: expect.any(String),
          org_id: org,
          api_version: 'v1',
          data: { client: { ...client, name: null, company: null, plan_id: null } },
        },
      ]);
    });

    test('an email is unique per organization, case-insensitively, even under twenty concurrent requests', async () => {
      const org = newOrganization();
      const spellings = Array.from({ length: 20 }, (_, bit) =>
        [...'ada.lovelace@example.com'].map((letter, at) => ((bit >> (at % 5)) & 1 ? letter.toUpperCase() : letter)).join(''),
      );
      const outcomes = await Promise.allSettled(spellings.map((email) => call('clients.CreateClient', { email }, testCaller(org))));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason);
      expect(refused).toEqual(Array(19).fill(refusal('email_taken')));
      expect(await clientsOf(org)).toBe(1);
      expect(await eventsOf(org)).toHaveLength(1);
    });

    test('another organization may have a client with the same email', async () => {
      await call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(newOrganization()));
      const { client } = await call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(newOrganization()));
      expect(present(client).email).toBe('ada@example.com');
    });

    test("an unknown plan and another organization's plan are refused alike, and nothing is stored or published", async () => {
      const org = newOrganization();
      const foreign = await newPlan(newOrganization());
      for (const plan_id of [foreign, newOrganization(), 'nonsense']) {
        const creating = call('clients.CreateClient', { email: 'ada@example.com', plan_id }, testCaller(org));
        await expect(creating).rejects.toEqual(refusal('plan_unknown'));
      }
      expect(await clientsOf(org)).toBe(0);
      expect(await eventsOf(org)).toEqual([]);
    });

    test('a retry after a crash returns the client of the first attempt instead of email_taken', async () => {
      const org = newOrganization();
      const key = newOrganization();
      const create = () => call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(org, repeatable(key)));
      const first = await create();
      await loseOutcome(key);
      expect(await create()).toEqual(first);
      expect(await clientsOf(org)).toBe(1);
      expect(await eventsOf(org)).toHaveLength(1);
    });

    test('a second request for the same email fails with email_taken, even with the same body', async () => {
      const org = newOrganization();
      const implicit = repeatable(newOrganization(), false);
      await call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(org, implicit));
      const again = call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(org, implicit));
      await expect(again).rejects.toEqual(refusal('email_taken'));
    });

    test('a caller without an organization cannot create clients', async () => {
      await expect(call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(''))).rejects.toEqual(refusal('internal'));
    });
  });

  describe('update client', () => {
    type Fields = Omit<RequestOf<'clients.UpdateClient'>, 'client_id' | 'update_mask'>;

    /** A PATCH as the gateway sends it: the mask names the fields of the body, including null ones. */
    const patch = (org: string, client_id: string, fields: Fields, ifMatch?: string) =>
      call('clients.UpdateClient', { client_id, ...fields, update_mask: Object.keys(fields) }, testCaller(org, { ifMatch }));

    const updatesOf = async (org: string) => (await published(stream, 'client.updated')).filter(({ org_id }) => org_id === org);

    test('only the named fields change, and one client.updated contains their old values', async () => {
      const org = newOrganization();
      const id = await newClient(org, { email: 'ada@example.com', name: 'Ada' });
      const { client, etag } = await patch(org, id, { company: 'Engines', status: 'active' });
      expect(client).toMatchObject({ id, name: 'Ada', company: 'Engines', status: 'active' });
      expect(etag).toBe('"r2"');
      expect((await updatesOf(org)).map(({ data }) => data)).toEqual([
        { client: { ...client, plan_id: null }, previous: { company: null, status: 'invited' } },
      ]);
    });

    test('a PATCH that changes nothing keeps the etag and raises no event', async () => {
      const org = newOrganization();
      const id = await newClient(org, { email: 'ada@example.com', name: 'Ada' });
      for (const fields of [{}, { name: 'Ada' }, { company: null, status: 'invited' }]) {
        expect((await patch(org, id, fields)).etag).toBe('"r1"');
      }
      expect(await updatesOf(org)).toEqual([]);
    });

    test('null clears name and company and detaches the plan', async () => {
      const org = newOrganization();
      const plan_id = await newPlan(org);
      const id = await newClient(org, { email: 'ada@example.com', name: 'Ada', plan_id });
      const { client } = await patch(org, id, { name: null, plan_id: null });
      expect(client).not.toHaveProperty('name');
      expect(client).not.toHaveProperty('plan_id');
      expect((await updatesOf(org)).map(({ data }) => data.previous)).toEqual([{ name: 'Ada', plan_id }]);
    });

    test('a plan is attached if the organization has it', async () => {
      const org = newOrganization();
      const id = await newClient(org, { email: 'ada@example.com' });
      const plan_id = await newPlan(org);
      expect(present((await patch(org, id, { plan_id })).client).plan_id).toBe(plan_id);
      const foreign = await newPlan(newOrganization());
      for (const unknown of [foreign, newOrganization()]) {
        await expect(patch(org, id, { plan_id: unknown, name: 'Ada' })).rejects.toEqual(refusal('plan_unknown'));
      }
      const { client } = await call('clients.GetClient', { client_id: id }, testCaller(org));
      expect(client).toMatchObject({ plan_id });
      expect(client).not.toHaveProperty('name');
    });

    test('another organization’s id, an unknown id and a malformed id all give client_not_found, and nothing is published', async () => {
      const owner = newOrganization();
      const foreign = await newClient(owner, { email: 'ada@example.com' });
      for (const id of [foreign, newOrganization(), 'nonsense']) {
        await expect(patch(newOrganization(), id, { status: 'active' })).rejects.toEqual(refusal('client_not_found'));
      }
      expect(await updatesOf(owner)).toEqual([]);
    });

    test('If-Match with another etag is refused and changes nothing; with the current one, or *, it passes', async () => {
      const org = newOrganization();
      const id = await newClient(org, { email: 'ada@example.com' });
      await expect(patch(org, id, { name: 'Ada' }, '"r7"')).rejects.toEqual(refusal('edited_meanwhile'));
      expect((await patch(org, id, { name: 'Ada' }, '"r1"')).etag).toBe('"r2"');
      expect((await patch(org, id, { name: 'Lovelace' }, '*')).etag).toBe('"r3"');
    });

    test('of two concurrent PATCHes with the same If-Match one wins and the other is refused', async () => {
      const org = newOrganization();
      const id = await newClient(org, { email: 'ada@example.com' });
      const outcomes = await Promise.allSettled(['Ada', 'Byron'].map((name) => patch(org, id, { name }, '"r1"')));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused.map(({ reason }) => reason)).toEqual([refusal('edited_meanwhile')]);
      expect(await updatesOf(org)).toHaveLength(1);
    });

    test('concurrent PATCHes without If-Match all succeed, and each event contains the values it replaced', async () => {
      const org = newOrganization();
      const id = await newClient(org, { email: 'ada@example.com' });
      await Promise.all([patch(org, id, { name: 'Ada' }), patch(org, id, { company: 'Engines' }), patch(org, id, { status: 'active' })]);
      const { client } = await call('clients.GetClient', { client_id: id }, testCaller(org));
      expect(client).toMatchObject({ name: 'Ada', company: 'Engines', status: 'active' });
      const previous = (await updatesOf(org)).map(({ data }) => data.previous);
      expect(previous).toHaveLength(3);
      expect(Object.assign({}, ...previous)).toEqual({ name: null, company: null, status: 'invited' });
    });

    test('a mask that names fields that cannot be changed has no effect', async () => {
      const org = newOrganization();
      const client_id = await newClient(org, { email: 'ada@example.com' });
      const update_mask = ['email', 'payment_status', 'user_id', 'client_id', 'org_id', '__proto__', 'update_mask'];
      const { etag } = await call('clients.UpdateClient', { client_id, update_mask }, testCaller(org));
      expect(etag).toBe('"r1"');
    });
  });

  describe('get client', () => {
    test('a client is read with its etag', async () => {
      const org = newOrganization();
      const client_id = await newClient(org, { email: 'ada@example.com', name: 'Ada' });
      const { client, etag } = await call('clients.GetClient', { client_id }, testCaller(org));
      expect(client).toMatchObject({ id: client_id, email: 'ada@example.com', name: 'Ada', status: 'invited' });
      expect(etag).toBe('"r1"');
    });

    test('another organization’s id, an unknown id and a malformed id all give client_not_found', async () => {
      const foreign = await newClient(newOrganization(), { email: 'ada@example.com' });
      for (const client_id of [foreign, newOrganization(), 'nonsense', '', '{"$ne":1}']) {
        await expect(call('clients.GetClient', { client_id }, testCaller(newOrganization()))).rejects.toEqual(refusal('client_not_found'));
      }
    });

    test('concurrent reads by two organizations return only their own clients', async () => {
      const [one, other] = [newOrganization(), newOrganization()];
      const client_id = await newClient(one, { email: 'ada@example.com' });
      const outcomes = await Promise.allSettled([one, other].map((org) => call('clients.GetClient', { client_id }, testCaller(org))));
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    });
  });

  describe('list clients', () => {
    /** Inserts clients with known creation times: `minutes` after midnight. */
    async function makeClients(org_id: string, minutes: readonly number[]): Promise<void> {
      const clients = minutes.map((minute, index) => ({
        _id: `${org_id} ${String(index).padStart(4, '0')}`,
        org_id,
        email: `c${index}@example.com`,
        email_folded: `c${index}@example.com`,
        name: null,
        status: 'invited',
        payment_status: 'none',
        created_at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
        revision: 1,
      }));
      await mongoose.connection.collection<{ _id: string }>('clients').insertMany(clients);
    }

    const emails = async (org: string, page: { limit?: number; offset?: number } = {}) => {
      const { clients, total } = await call('clients.ListClients', page, testCaller(org));
      return { emails: clients.map(({ email }) => email), total };
    };

    test('the list is newest first, then by id', async () => {
      const org = newOrganization();
      await makeClients(org, [1, 3, 2, 3]);
      expect(await emails(org)).toEqual({
        emails: ['c1@example.com', 'c3@example.com', 'c2@example.com', 'c0@example.com'],
        total: 4,
      });
    });

    test('limit and offset select a page, and total counts all', async () => {
      const org = newOrganization();
      await makeClients(org, [5, 4, 3, 2, 1]);
      expect(await emails(org, { limit: 2, offset: 1 })).toEqual({ emails: ['c1@example.com', 'c2@example.com'], total: 5 });
      expect(await emails(org, { limit: 2, offset: 4 })).toEqual({ emails: ['c4@example.com'], total: 5 });
      expect(await emails(org, { limit: 2, offset: 9 })).toEqual({ emails: [], total: 5 });
    });

    test('without a limit the list contains up to a thousand clients', async () => {
      const org = newOrganization();
      await makeClients(
        org,
        Array.from({ length: 1003 }, (_, index) => index),
      );
      const { clients, total } = await call('clients.ListClients', {}, testCaller(org));
      expect(clients).toHaveLength(1000);
      expect(total).toBe(1003);
    });

    test('an organization sees only its own clients', async () => {
      const [own, foreign] = [newOrganization(), newOrganization()];
      await newClient(own, { email: 'own@example.com' });
      await newClient(foreign, { email: 'foreign@example.com' });
      expect(await emails(own)).toEqual({ emails: ['own@example.com'], total: 1 });
      expect(await emails(newOrganization())).toEqual({ emails: [], total: 0 });
    });

    test('a page and its total are read from indexes in order, and only one client beyond the page is examined', async () => {
      const org = newOrganization();
      await makeClients(
        org,
        Array.from({ length: 300 }, (_, index) => index),
      );
      const operations = await requestsOn('clients', () => clientPage({ org_id: org }, { limit: 50, offset: 0 }));
      const found = operations.find(({ op }) => op === 'query');
      expect(found).toMatchObject({ planSummary: 'IXSCAN { org_id: 1, created_at: -1, _id: 1 }', docsExamined: 51, nreturned: 51 });
      expect(found).not.toHaveProperty('hasSortStage');
      const counted = operations.find(({ op }) => op === 'command');
      expect(counted).toMatchObject({ docsExamined: 0, keysExamined: 300 });
    });
  });

  describe('get site allowance', () => {
    const allowance = (org: string, client_email: string) => call('clients.GetSiteAllowance', { client_email }, projectsTemplates(org));

    test("the allowance contains client, user, status and the plan's max_sites, for any case of the email", async () => {
      const org = newOrganization();
      const plan_id = await newPlan(org, { max_sites: 7 });
      const client_id = await newClient(org, { email: 'Ada@example.com', plan_id });
      const found = await allowance(org, 'aDA@EXAMPLE.com');
      expect(found).toEqual({
        client_id,
        user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'invited',
        max_sites: 7,
        joined_by_link: false,
      });
      expect(found.user_id).not.toBe(client_id);
      expect(await allowance(org, 'ada@example.com')).toEqual(found);
    });

    test('a plan with zero sites allows none, unlike no plan', async () => {
      const org = newOrganization();
      await newClient(org, { email: 'ada@example.com', plan_id: await newPlan(org, { max_sites: 0 }) });
      expect(await allowance(org, 'ada@example.com')).toMatchObject({ max_sites: 0 });
    });

    test('a client without a plan has no limit', async () => {
      const org = newOrganization();
      await newClient(org, { email: 'ada@example.com' });
      expect(await allowance(org, 'ada@example.com')).not.toHaveProperty('max_sites');
    });

    test("an unknown email and another organization's client both give client_not_found", async () => {
      const org = newOrganization();
      await newClient(newOrganization(), { email: 'ada@example.com' });
      await expect(allowance(org, 'ada@example.com')).rejects.toEqual(refusal('client_not_found'));
      await expect(allowance(org, 'nobody@example.com')).rejects.toEqual(refusal('client_not_found'));
    });
  });

  describe('what plans allow a client', () => {
    const rights = (org: string, client_id: string, plan_id?: string) =>
      call('clients.GetPlanRights', { client_id, ...(plan_id !== undefined && { plan_id }) }, projectsTemplates(org));
    const allowing = (org: string, client_id: string, used: number) =>
      call('clients.FindPlanAllowing', { client_id, limit: 'max_sites', used }, projectsTemplates(org));

    test('is what its own plan says, or another one that is named; without a plan all but messages', async () => {
      const org = newOrganization();
      const [small, large] = [await newPlan(org, { name: 'Small', max_sites: 1 }), await newPlan(org, { name: 'Large', max_sites: 9 })];
      const client_id = await newClient(org, { email: 'ada@example.com', plan_id: small });
      const excluded = { can_export_code: false, can_use_custom_domain: false, max_ai_messages_daily: 50 };
      expect(await rights(org, client_id)).toEqual({ ...excluded, plan_name: 'Small', max_sites: 1 });
      expect(await rights(org, client_id, large)).toEqual({ ...excluded, plan_name: 'Large', max_sites: 9 });
      await expect(rights(org, client_id, await newPlan(newOrganization()))).rejects.toEqual(refusal('plan_not_found'));
      const without = await newClient(org, { email: 'bob@example.com' });
      expect(await rights(org, without)).toEqual({ can_export_code: true, can_use_custom_domain: true, max_ai_messages_daily: 5 });
    });

    test('more is the cheapest active plan of the organization that does', async () => {
      const org = newOrganization();
      await newPlan(newOrganization(), { price: 1, max_sites: 50 });
      const own = await newPlan(org, { name: 'Own', max_sites: 1 });
      const large = await newPlan(org, { name: 'Large', price: 40, max_sites: 9 });
      const retired = await newPlan(org, { name: 'Retired', price: 5, max_sites: 9 });
      await call('plans.UpdatePlan', { plan_id: retired, is_active: false, update_mask: ['is_active'] }, testCaller(org));
      const client_id = await newClient(org, { email: 'ada@example.com', plan_id: own });
      expect(await allowing(org, client_id, 1)).toEqual({ plan_name: 'Own', found: { id: large, name: 'Large', allowed: 9 } });
      expect(await allowing(org, client_id, 9)).toEqual({ plan_name: 'Own' });
      const exporting = await newPlan(org, { name: 'Exporting', price: 400, interval: 'yearly', max_sites: 9, can_export_code: true });
      expect(await allowing(org, client_id, 1)).toMatchObject({ found: { id: exporting } });
      const limit = 'can_export_code';
      const exports = await call('clients.FindPlanAllowing', { client_id, limit, used: 0 }, projectsTemplates(org));
      expect(exports).toEqual({ plan_name: 'Own', found: { id: exporting, name: 'Exporting', allowed: 0 } });
    });
  });
});

describe('client', () => {
  const draft = { _id: 'c1', user_id: 'u1', email: 'Ada@Example.com', name: 'Ada', company: null, plan_id: null };
  const createdAt = '2026-01-02T03:04:05.678Z';
  const client = inviteClient(draft, createdAt).state;
  const inStatus = (status: ClientState['status']): ClientState => ({ ...client, status });

  test('a new client is invited, owes nothing and keeps the email as typed', () => {
    expect(client).toMatchObject({
      status: 'invited',
      payment_status: 'none',
      email: 'Ada@Example.com',
      email_folded: 'ada@example.com',
      invitation: 1,
    });
  });

  test('a new client raises client.created with the public record, and has its first invitation', () => {
    expect(inviteClient(draft, createdAt).events).toEqual([
      {
        type: 'client.created',
        data: {
          client: {
            id: 'c1',
            email: 'Ada@Example.com',
            name: 'Ada',
            company: null,
            status: 'invited',
            plan_id: null,
            payment_status: 'none',
            created_at: '2026-01-02T03:04:05.678Z',
          },
        },
      },
    ]);
  });

  test('only fields with a new value change, and client.updated contains exactly their old values', () => {
    expect(changeClient(client, { name: 'Ada', company: 'Engines', plan_id: 'p1' })).toEqual({
      state: { company: 'Engines', plan_id: 'p1' },
      events: [
        {
          type: 'client.updated',
          data: {
            client: expect.objectContaining({ name: 'Ada', company: 'Engines', plan_id: 'p1' }),
            previous: { company: null, plan_id: null },
          },
        },
      ],
    });
  });

  test('null clears a field and is reported like any other change', () => {
    expect(changeClient({ ...client, plan_id: 'p1' }, { plan_id: null, name: null })).toMatchObject({
      state: { name: null, plan_id: null },
      events: [{ data: { previous: { name: 'Ada', plan_id: 'p1' } } }],
    });
  });

  test('a change to the current values changes nothing and raises no event', () => {
    expect(changeClient(client, { name: 'Ada', company: null, status: 'invited' })).toBeNull();
  });

  test('a field that cannot be changed is ignored', () => {
    const forged = { email: 'mallory@example.com', payment_status: 'active', user_id: 'u2' } as Partial<ClientState>;
    expect(changeClient(client, forged)).toBeNull();
  });

  const statuses = ['invited', 'active', 'suspended', 'churned'] as const;
  const moves = statuses.flatMap((from) => statuses.filter((to) => to !== from).map((to) => [from, to] as const));

  test.each(moves)('a client may go from %s to %s', (from, to) => {
    expect(changeClient(inStatus(from), { status: to })?.state).toEqual({ status: to });
  });

  test('inviting again increments the invitation number and raises only its event', () => {
    expect(inviteAgain(client, 'r2', false)).toEqual({
      state: { invitation: 2, invitation_request: 'r2' },
      events: [{ type: 'internal.client.invited', data: { client_id: 'c1', email: 'Ada@Example.com', name: 'Ada', invitation: 2 } }],
    });
  });

  test('a retried request to invite again does nothing, whatever the client’s status', () => {
    expect(inviteAgain({ ...inStatus('active'), invitation_request: 'r2' }, 'r2', true)).toBeNull();
  });

  test('a client that the agency made active is invited again until its user can sign in', () => {
    expect(inviteAgain(inStatus('active'), 'r2', false)?.state).toEqual({ invitation: 2, invitation_request: 'r2' });
  });

  test.each([
    ['active', true],
    ['suspended', false],
    ['churned', false],
  ] as const)('a client that is %s (activated: %s) cannot be invited again', (status, activated) => {
    expect(() => inviteAgain(inStatus(status), 'r2', activated)).toThrow(expect.objectContaining({ code: 'invitation_not_pending' }));
  });

  test.each([
    ['invited', true],
    ['active', true],
    ['suspended', false],
    ['churned', false],
  ] as const)('the link of the last invitation of a client that is %s works: %s', (status, works) => {
    expect(isOpen({ ...inStatus(status), invitation: 2 }, 2)).toBe(works);
  });

  test('only the link of the last invitation works', () => {
    expect([1, 2, 3].map((number) => isOpen({ ...client, invitation: 2 }, number))).toEqual([false, true, false]);
  });
});

describe('admit client', () => {
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
});
