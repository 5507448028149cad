import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Demo, ensureDemo } from '@webkiln/dev-platform';
import { Operator } from '../../tools/dev-platform/src/demo/operator.ts';
import { Api } from '../harness/api.ts';
import { requestSession } from '../harness/embed-session.ts';
import { Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

jest.setTimeout(600_000);

let dataFolder: string;
beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'demo-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(dataFolder, { recursive: true });
});

/** Fails after `maxSteps` operator calls and API requests: the next one takes effect, but its response is lost. */
function dieAfter(maxSteps: number): void {
  let steps = 0;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    const mine = ++steps;
    const answer = await work();
    if (mine > maxSteps) throw new Error('killed');
    return answer;
  };
  const { ask } = Operator.prototype;
  const { fetch } = globalThis;
  jest.spyOn(Operator.prototype, 'ask').mockImplementation(function (this: Operator, ...call) {
    return step(() => ask.apply(this, call)) as never;
  });
  jest.spyOn(globalThis, 'fetch').mockImplementation((...request) => step(() => fetch(...request)));
}

test('demo creation that dies after any step is completed by the next run, with nothing made twice', async () => {
  const { origins, sitesOrigin, addresses, operatorKey } = sharedPlatform();
  const secrets = {
    KEY_PEPPER: '',
    AUTH_SECRET: '',
    WEBHOOK_SECRET_KEYS: '',
    INVITATION_SECRET: '',
    PREVIEW_SECRET: '',
    signing_keys: {},
    OPERATOR_SIGNING_KEY: operatorKey,
    mongodb_key: '',
    mongodb_passwords: {},
    demo_seed: crypto.randomUUID(),
  };
  const make = (exampleOrigin = 'http://127.0.0.1:3000') =>
    ensureDemo({ dataFolder, origin: origins[0] ?? '', sitesOrigin, addresses, secrets, exampleOrigin });

  let interruptions = 0;
  let demo: Demo | undefined;
  while (demo === undefined) {
    dieAfter(interruptions);
    demo = await make().catch((error: Error) => {
      expect(error.message).toBe('killed');
      interruptions += 1;
      return undefined;
    });
    jest.restoreAllMocks();
  }
  expect(interruptions).toBeGreaterThan(13);
  expect(await make()).toEqual(demo);
  expect(JSON.parse(readFileSync(path.join(dataFolder, 'demo.json'), 'utf8'))).toEqual(demo);

  const api = new Api(demo.base_url, demo.api_key);
  for (const [path, total] of Object.entries({ '/clients': 2, '/plans': 1, '/projects': 1, '/templates': 1 })) {
    expect([path, (await api.get(path)).expect(200).body.total]).toEqual([path, total]);
  }
  const { deploys } = (await api.get(`/projects/${demo.project_id}/deploys`)).expect(200).body;
  expect(deploys).toHaveLength(1);
  const other = new Api(demo.base_url, demo.other_org.api_key);
  expect((await other.get('/projects')).expect(200).body.total).toBe(1);

  const { client_id, client_secret } = demo.embed;
  expect((await requestSession({ client_id, client_secret, user_id: 'rosa' })).status).toBe(201);
  const member = new Person({ email: demo.member.email });
  (await member.signIn(demo.member.password)).expect(200);
  expect((await member.api.get('/account/embed-clients')).expect(200).body.total).toBe(1);
  const moved = await make('http://127.0.0.1:3001');
  expect(moved).toEqual({ ...demo, embed: { ...moved.embed, client_id, allowed_origin: 'http://127.0.0.1:3001' } });
});
