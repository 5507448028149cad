import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError, accessToRpc, refusalOf } from '@webkiln/contract';
import { callerFor, callersOf, type Issuer, issuers, type Principal, rpcServiceNames, type ServiceName, services } from '@webkiln/messages';
import { call, closePeers, connectPeers } from '../client/peers.ts';
import type { MethodName } from '../methods.ts';
import { generateSigningKey } from '../principal/credentials.ts';
import { createVerifier } from '../principal/verifier.ts';
import { methodsOf, methodTable } from '../protos.ts';
import { transports } from '../testing/loopback.ts';
import { handle } from './handle.ts';
import { ownCalls } from './own-calls.ts';
import { type Serving, serve } from './serve.ts';

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

/** Who speaks for whom. */
const speakers = ({ kind, credential_id }: Claim): readonly string[] => {
  if (kind === 'service') return credential_id === 'operator' ? [] : [credential_id];
  const byKind = {
    api_key: ['gateway', 'mcp'],
    oauth_token: ['gateway', 'mcp'],
    session: ['gateway'],
    embed_token: ['gateway'],
    operator: ['operator'],
  };
  return byKind[kind as keyof typeof byKind] ?? [];
};

const stated = (claim: Claim): Principal => ({ org_id: 'org', permissions: ['read', 'write'], ...claim });

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
  const calls = new Set(names.filter((name) => methodTable.has(name) && !own.has(name)));
  found.set(issuer, calls);
  return calls;
}

/** Calls that a service makes through a function of a package. */
const indirectCalls: Readonly<Record<string, string>> = {
  admittedByIdentity: 'identity.AdmitMail',
  startErasure: 'identity.ReportErasure',
};

function namesIn(folder: string): string[] {
  const files = globSync('**/*.ts', { cwd: folder, exclude: ['**/testing/**'] }).filter((file) => !file.endsWith('.test.ts'));
  const text = files.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n');
  const indirect = Object.entries(indirectCalls).flatMap(([name, method]) => (text.includes(`${name}(`) ? [method] : []));
  return [...indirect, ...[...text.matchAll(/'(\w+\.[A-Z]\w+)'/g)].map(([, name = '']) => name)];
}

const atOnce = 500;
const servers = new Map<ServiceName, Serving>();
const keys = Object.fromEntries([...issuers, 'stranger'].map((issuer) => [issuer, generateSigningKey()]));

beforeAll(async () => {
  const trustedKeys = Object.fromEntries(Object.entries(keys).map(([issuer, { publicKey }]) => [issuer, publicKey]));
  for (const service of rpcServiceNames) {
    const useCases = methodsOf(service).map(({ name }) => handle(name, async () => ({}) as never));
    const verifier = createVerifier({ service, trustedKeys });
    servers.set(service, await serve({ service, useCases, verifier, bind: '127.0.0.1', port: 0 }));
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

/** All claims; of unary calls what an issuer may not state is tried at one method of each service. */
const claimsAt = (transport: (typeof transports)[number], issuer: string, at: number): readonly Claim[] =>
  transport === 'carried' || at === 0 ? claims : claims.filter((claim) => speakers(claim).includes(issuer));

describe.each(transports)('over %s calls', (transport) => {
  test.each(Object.keys(keys))('the issuer %s is served exactly what it may state, where it may call', async (issuer) => {
    const actual: string[] = [];
    const table: string[] = [];
    for (const [service, { port }] of servers) {
      // One service at a time: several serve the methods of the common areas.
      connectPeers({ issuer, signingKey: keys[issuer]?.privateKey ?? '', transport, addresses: { [service]: `127.0.0.1:${port}` } });
      const attempts = methodsOf(service).flatMap(({ name }, at) => claimsAt(transport, issuer, at).map((claim) => ({ name, claim })));
      const outcomes: string[] = [];
      // A stream carries about a thousand calls at once.
      for (let start = 0; start < attempts.length; start += atOnce) {
        const batch = attempts.slice(start, start + atOnce);
        outcomes.push(...(await Promise.all(batch.map(({ name, claim }) => outcome(name, claim)))));
      }
      for (const [at, { name, claim }] of attempts.entries()) {
        const attempt = `${service} ${name} as ${claim.kind} ${claim.credential_id} ${claim.role ?? ''}: `;
        actual.push(attempt + outcomes[at]);
        table.push(attempt + expected(issuer, service, name, claim));
      }
      await closePeers();
    }
    expect(actual).toEqual(table);
  });
});

test('an RPC lists exactly the issuers whose sources call it, all of them callers of its service', () => {
  for (const service of rpcServiceNames) {
    for (const { name } of methodsOf(service)) {
      const calling = issuers.filter((issuer) => callsIn(issuer).has(name));
      expect({ name, issuers: [...(ownCalls[name] ?? [])].toSorted() }).toEqual({ name, issuers: calling.toSorted() });
      for (const issuer of calling) expect(callersOf(service)).toContain(issuer satisfies Issuer);
    }
  }
});
