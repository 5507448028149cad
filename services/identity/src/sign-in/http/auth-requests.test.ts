import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { unscoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import { claimAccount } from '../../accounts/claim-account.ts';
import { AccountMailModel, AccountMailStore } from '../../mails/account-mail-store.ts';
import { LosingConnection } from '../../testing/losing-connection.ts';
import { killReplica, type Replica, startReplica } from '../../testing/start-replica.ts';
import { LoginAttemptModel } from '../attempts/login-attempt-store.ts';
import { countAttempt } from '../attempts/login-attempts.ts';
import { errorResponse } from './responses.ts';

useTestStore();

describe('responses', () => {
  test.each([
    ['rate_limited', 429, '600'],
    ['unavailable', 503, '2'],
  ] as const)('a %s response has a Retry-After header', (code, expectedStatus, seconds) => {
    const { headers, status } = errorResponse(new AppError(code), 'the request');
    expect([status, headers[headers.indexOf('Retry-After') + 1]]).toEqual([expectedStatus, seconds]);
  });

  test('the Retry-After of too many failed attempts is when the oldest of them no longer counts', () => {
    const [first, second] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T00:03:20Z')];
    const refusal = (now: Date) => {
      try {
        return countAttempt([first, second], now, 2);
      } catch (error) {
        return errorResponse(error, 'the request');
      }
    };
    const { status, headers, body } = refusal(new Date('2026-01-01T00:08:30Z')) as ReturnType<typeof errorResponse>;
    expect([status, headers[headers.indexOf('Retry-After') + 1]]).toEqual([429, '90']);
    expect(body).toContain('wait 2 minutes');
  });

  test('an unexpected error reveals nothing about itself', () => {
    const { status, body } = errorResponse(new Error('password hash is 12345'), 'the request');
    expect([status, JSON.parse(body)]).toEqual([500, expect.objectContaining({ code: 'internal', request_id: 'the request' })]);
    expect(body).not.toContain('12345');
  });
});

describe('a lost database', () => {
  const origin = 'http://localhost';
  const password = 'correct horse battery';

  let database: LosingConnection;
  let replica: Replica;
  beforeAll(async () => {
    database = await LosingConnection.toMongodb();
    replica = await startReplica(origin, { MONGODB_URL: database.url });
  });
  afterAll(async () => {
    await killReplica(replica);
    await database[Symbol.asyncDispose]();
  });

  async function ask(route: string, body?: object, cookie = ''): Promise<Response> {
    const headers = { origin, cookie, 'x-webkiln-client-address': randomUUID(), 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return fetch(`http://127.0.0.1:${replica.port}/api/auth${route}`, { redirect: 'manual', headers, ...sent });
  }

  const newEmail = () => `${randomUUID()}@example.com`;
  const newAccount = async () => (await claimAccount(serviceCaller('identity'), { email: newEmail(), name: 'Ada', password })).email;
  const signIn = (email: string) => ask('/sign-in/email', { email, password });
  const signUp = (email: string) => ask('/sign-up/email', { name: 'Ada', email, password });

  async function expectUnavailable(answer: Response): Promise<void> {
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.getSetCookie()]).toEqual([503, '2', []]);
    expect(await answer.json()).toMatchObject({ code: 'unavailable' });
  }

  /** The session of an account that has signed in, as a Cookie header. */
  async function sessionOf(email: string): Promise<string> {
    const cookies = (await signIn(email)).headers.getSetCookie();
    return cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ');
  }

  test.each([
    ['find', 'accounts'],
    ['aggregate', 'members'],
    ['insert', 'sessions'],
  ])(
    'a sign-in whose database is lost at its %s of %s gets 503, is not counted, and succeeds when repeated',
    async (command, collection) => {
      const email = await newAccount();
      await expectUnavailable(await database.losing(command, collection, () => signIn(email)));
      const counted = (await unscoped(LoginAttemptModel).find({})).flatMap(({ failed_at }) => failed_at);
      expect(counted).toEqual([]);
      expect((await signIn(email)).status).toBe(200);
    },
  );

  test('a sign-up whose account cannot be stored gets 503, not the answer to a wrong field', async () => {
    const email = newEmail();
    await expectUnavailable(await database.losing('insert', 'accounts', () => signUp(email)));
    expect((await signUp(email)).status).toBe(200);
  });

  test('a sign-out whose session cannot be ended gets 503, not the answer to one that is ended', async () => {
    const cookie = await sessionOf(await newAccount());
    await expectUnavailable(await database.losing('update', 'sessions', () => ask('/sign-out', {}, cookie)));
    expect((await ask('/sign-out', {}, cookie)).status).toBe(200);
  });

  test('a mailed link that cannot be followed now gets 503, and works later', async () => {
    const email = newEmail();
    await unscoped(AccountMailModel).deleteMany({});
    await signUp(email);
    const [mail] = await unscoped(AccountMailModel).find({});
    const kept = await new AccountMailStore(['a'.repeat(32)]).find(mail?._id ?? '');
    const token = new URL(kept?.link?.url ?? '').searchParams.get('token');
    const confirm = () => ask('/confirm-email', { token });
    await expectUnavailable(await database.losing('find', 'accounts', confirm));
    expect((await confirm()).status).toBe(200);
  });
});
