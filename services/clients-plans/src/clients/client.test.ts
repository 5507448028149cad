import { type ClientState, changeClient, inviteAgain, inviteClient, isOpen } from './client.ts';

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
