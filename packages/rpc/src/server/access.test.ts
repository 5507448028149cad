import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError, accessToRpc, refusalOf } from '@webkiln/contract';
import { callerFor, callersOf, type Issuer, issuers, type Principal, rpcServiceNames, type ServiceName, services } from '@webkiln/messages';
import { call, closePeers, connectPeers } from '../client/peers.ts';
import type { Transport } from '../client/replica.ts';
import { type MethodName, methodNamed, methodsOf } from '../methods.ts';
import { createVerifier, generateSigningKey } from '../principal/principal.ts';
import { callerOf, connectTo, startReplica, transports } from '../testing/loopback.ts';
import { callRefusalOf, handle } from './dispatch.ts';
import { ownCalls } from './own-calls.ts';
import { type Serving, serve } from './serve.ts';

const runs = {
  'projects.GetProject': async () => ({ etag: 'served' }),
  'projects.DeleteProject': async () => ({ id: 'served' }),
  'projects.DropTurn': async () => ({}),
} as const;

const session = (role?: Principal['role']): Principal => ({
  kind: 'session',
  org_id: 'org',
  credential_id: 'session',
  account_id: 'account',
  permissions: ['read'],
  role,
});
const as = (principal: Principal) => callerOf({ principal });

describe.each(transports)('a call (%s)', (transport) => {
  test('with a session may do what the role allows, whichever process calls', async () => {
    await using replica = await startReplica(runs);
    await using _peers = connectTo(transport, [replica.port]);
    expect(await call('projects.DeleteProject', { project_id: 'p' }, as(session('developer')))).toMatchObject({ id: 'served' });
    for (const role of ['viewer', 'client', undefined] as const) {
      await expect(call('projects.DeleteProject', { project_id: 'p' }, as(session(role)))).rejects.toMatchObject({ code: 'role_missing' });
    }
    expect(await call('projects.GetProject', { project_id: 'p' }, as(session('client')))).toMatchObject({ etag: 'served' });
  });

  test('with a session may not call an RPC without an API operation, whatever the role', async () => {
    await using replica = await startReplica(runs);
    await using _peers = connectTo(transport, [replica.port]);
    const dropped = call('projects.DropTurn', { project_id: 'p', turn_id: 't' }, as(session('owner')));
    await expect(dropped).rejects.toMatchObject({ code: 'role_missing' });
  });

  test('tells the service the account of the session', async () => {
    const seen: Principal[] = [];
    await using replica = await startReplica({
      'projects.GetProject': async (_request, { principal }) => {
        seen.push(principal);
        return {};
      },
    });
    await using _peers = connectTo(transport, [replica.port]);
    const client = { ...session('client'), user_id: 'user', client_id: 'client' };
    await call('projects.GetProject', { project_id: 'p' }, as(client));
    expect(seen).toEqual([expect.objectContaining(client)]);
  });
});

type Claim = Pick<Principal, 'kind' | 'credential_id'> & Partial<Principal>;

/** Everything that an issuer may claim to be: itself, others, people, keys, and a kind that does not exist. */
const claims: readonly Claim[] = [
  ...[...issuers, 'stranger'].map((credential_id) => ({ kind: 'service' as const, credential_id })),
  { kind: 'operator', credential_id: 'operator' },
  { kind: 'api_key', credential_id: 'key' },
  { kind: 'session', credential_id: 'session', role: 'owner', account_id: 'account' },
  { kind: 'session', credential_id: 'session', role: 'client', account_id: 'account', user_id: 'user' },
  { kind: 'oauth_token', credential_id: 'grant', role: 'developer', account_id: 'account', agent: 'Agent' },
  { kind: 'embed_token', credential_id: 'embed session', user_id: 'user' },
  { kind: 'root' as Principal['kind'], credential_id: 'gateway' },
];

/** The issuers that may make a claim. */
const speakers = ({ kind, credential_id }: Claim): readonly string[] => {
  if (kind === 'service') return credential_id === 'operator' ? [] : [credential_id];
  const byKind = {
    api_key: ['gateway'],
    oauth_token: ['gateway'],
    session: ['gateway'],
    embed_token: ['gateway'],
    operator: ['operator'],
  };
  return byKind[kind as keyof typeof byKind] ?? [];
};

const stated = (claim: Claim): Principal => ({ org_id: 'org', permissions: ['read', 'write'], ...claim });

const key = stated({ kind: 'api_key', credential_id: 'key' });

/** The one table: `unproven` if the issuer may not say this to the service, else what the RPC answers. */
function expected(issuer: string, service: ServiceName, method: MethodName, claim: Claim): string {
  const isCaller = issuer === 'operator' || issuer === 'gateway' || peersOf(issuer).includes(service);
  if (!isCaller || !speakers(claim).includes(issuer)) return 'unproven';
  // A message of an agent is no API operation: the services behind its tools check permission and role.
  if (service === 'mcp' && (claim.kind === 'api_key' || claim.kind === 'oauth_token')) return 'served';
  if (['api_key', 'session', 'oauth_token', 'embed_token'].includes(claim.kind))
    return refusalOf(stated(claim), accessToRpc(method)) ?? 'served';
  return callsIn(issuer).has(method) ? 'served' : 'permission_missing';
}

const peersOf = (issuer: string): readonly string[] => services[issuer as ServiceName]?.peers ?? [];
/** Folders of the sources whose calls an issuer makes. The demo acts as an operator. */
const foldersOf = (issuer: string): string[] =>
  ({ gateway: ['gateway/src'], operator: ['cli/src', 'tools/dev-platform/src/demo'] })[issuer] ?? [`services/${issuer}/src`];
const root = path.resolve(__dirname, '../../../..');
const found = new Map<string, ReadonlySet<string>>();

/** The RPCs of other services that the sources of an issuer name: those that it calls in its own name. */
function callsIn(issuer: string): ReadonlySet<string> {
  const known = found.get(issuer);
  if (known !== undefined) return known;
  const names = foldersOf(issuer).flatMap((folder) => namesIn(path.join(root, folder)));
  const own = new Set<string>(issuer in services ? methodsOf(issuer as ServiceName).map(({ name }) => name) : []);
  const calls = new Set(names.filter((name) => methodNamed(name) !== undefined && !own.has(name)));
  found.set(issuer, calls);
  return calls;
}

/** Calls that a service makes through a function of a package. */
const indirectCalls: Readonly<Record<string, string>> = {
  admittedByIdentity: 'identity.AdmitMail',
  AgentReads: 'identity.MarkAgentRead',
  startErasure: 'identity.ReportErasure',
  namingPlans: 'clients.FindPlanAllowing',
};

function namesIn(folder: string): string[] {
  const files = globSync('**/*.ts', { cwd: folder, exclude: ['**/testing/**'] }).filter((file) => !file.endsWith('.test.ts'));
  const text = files.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n');
  const indirect = Object.entries(indirectCalls).flatMap(([name, method]) => (text.includes(`${name}(`) ? [method] : []));
  return [...indirect, ...[...text.matchAll(/'(\w+\.[A-Z]\w+)'/g)].map(([, name = '']) => name)];
}

/** For each rule that decides about a call, RPCs that it decides about. */
const sampledCalls: readonly (readonly [service: ServiceName, method: MethodName])[] = [
  // API operations: with own callers, for embed tokens, for people alone, for persons, and for nobody but people.
  ['projects-templates', 'projects.GetProject'],
  ['projects-templates', 'projects.DeleteProject'],
  ['projects-templates', 'projects.ListDomains'],
  ['embed', 'embed.GetEmbedSession'],
  ['identity', 'accounts.ListKeys'],
  ['identity', 'accounts.ListAudit'],
  // No API operations: for operators, for services, for both, and of a common area.
  ['projects-templates', 'sites.TakeDownSite'],
  ['identity', 'identity.AdmitMail'],
  ['projects-templates', 'projects.ReadContent'],
  ['webhooks', 'maintenance.CountUse'],
  // Messages of agents.
  ['mcp', 'mcp.Answer'],
];

const servers = new Map<ServiceName, Serving>();
const signingKeys = Object.fromEntries([...issuers, 'stranger'].map((issuer) => [issuer, generateSigningKey()]));

beforeAll(async () => {
  const trustedKeys = Object.fromEntries(Object.entries(signingKeys).map(([issuer, { publicKey }]) => [issuer, publicKey]));
  for (const served of rpcServiceNames) {
    const useCases = methodsOf(served).map(({ name }) => handle(name, async () => ({}) as never));
    const verifier = createVerifier({ service: served, trustedKeys });
    servers.set(served, await serve({ service: served, useCases, verifier, bind: '127.0.0.1', port: 0 }));
  }
});
afterAll(() => Promise.all([...servers.values()].map((server) => server.drain())));

async function outcome(method: MethodName, claim: Claim): Promise<string> {
  try {
    await call(method, {}, callerFor(stated(claim), { timeoutMs: 120_000 }));
    return 'served';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'internal' && String(error.cause).includes('UNAUTHENTICATED') ? 'unproven' : error.code;
  }
}

/** The outcome of each claim at a service, and the one that the table expects. */
async function outcomesAt(transport: Transport, issuer: string, served: ServiceName, methods: readonly MethodName[], made = claims) {
  // One service at a time: several serve the methods of the common areas.
  const addresses = { [served]: `127.0.0.1:${servers.get(served)?.port}` };
  connectPeers({ issuer, signingKey: signingKeys[issuer]?.privateKey ?? '', transport, addresses });
  const attempts = methods.flatMap((name) => made.map((claim) => ({ name, claim })));
  const outcomes = await Promise.all(attempts.map(({ name, claim }) => outcome(name, claim)));
  await closePeers();
  const label = ({ name, claim }: (typeof attempts)[number]) =>
    `${served} ${name} as ${claim.kind} ${claim.credential_id} ${claim.role ?? ''}`;
  return {
    actual: attempts.map((attempt, at) => `${label(attempt)}: ${outcomes[at]}`),
    table: attempts.map((attempt) => `${label(attempt)}: ${expected(issuer, served, attempt.name, attempt.claim)}`),
  };
}

describe.each(transports)('over %s calls', (transport) => {
  test.each(Object.keys(signingKeys))('the issuer %s is served exactly what it may state, for each rule of access', async (issuer) => {
    for (const [served, method] of sampledCalls) {
      const { actual, table } = await outcomesAt(transport, issuer, served, [method]);
      expect(actual).toEqual(table);
    }
  });

  test.each(Object.keys(signingKeys))('the issuer %s proves itself exactly to the services that it calls', async (issuer) => {
    const itself: Claim = issuer === 'operator' ? { kind: 'operator', credential_id: issuer } : { kind: 'service', credential_id: issuer };
    for (const served of rpcServiceNames) {
      const first = methodsOf(served)[0]?.name as MethodName;
      const { actual, table } = await outcomesAt(transport, issuer, served, [first], [itself]);
      expect(actual).toEqual(table);
    }
  });
});

test('keys and tokens are served the messages of agents, and no other RPC without an API operation', () => {
  const names = new Set(rpcServiceNames.flatMap((served) => methodsOf(served).map(({ name }) => name)));
  const open = [...names].filter((name) => accessToRpc(name) === undefined && callRefusalOf(name)(key) === undefined);
  expect(open.toSorted()).toEqual(['mcp.Answer', 'mcp.AnswerWrite']);
});

test('an RPC lists exactly the issuers whose sources call it, all of them callers of its service', () => {
  for (const served of rpcServiceNames) {
    for (const { name } of methodsOf(served)) {
      const calling = issuers.filter((issuer) => callsIn(issuer).has(name));
      expect({ name, issuers: [...(ownCalls[name] ?? [])].toSorted() }).toEqual({ name, issuers: calling.toSorted() });
      for (const issuer of calling) expect(callersOf(served)).toContain(issuer satisfies Issuer);
    }
  }
});
