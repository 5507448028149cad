import { agentAbilities, agentScopes, baseScope, needsOpening } from '../agents/agent-abilities.ts';
import { allTools } from '../agents/more-tools.ts';
import { accessError, accessTo, accessToRpc, agentAbilitiesFor, agentRefusalOf, agentToolOf, permissionsOf, refusalOf } from './access.ts';
import { permissions } from './operation.ts';
import { operations } from './operations.ts';
import { type SessionRole, sessionRoles } from './roles.ts';

const roles = [...sessionRoles, undefined];
/** An RPC of an operation that agents may run. */
const rpc = 'projects.GetProject';
const person = (kind: 'session' | 'oauth_token', role: SessionRole | undefined) => ({ kind, permissions: permissionsOf(role), role });
const session = (role: SessionRole | undefined) => person('session', role);

const rules = [
  ['a read without declared roles is for every member', accessTo({ rpc, permission: 'read' }), ['owner', 'admin', 'developer', 'viewer']],
  ['a write without declared roles is for those who build', accessTo({ rpc, permission: 'write' }), ['owner', 'admin', 'developer']],
  ['declared roles replace the default', accessTo({ rpc, permission: 'read', roles: ['owner', 'client'] }), ['owner', 'client']],
  ['`anyone` is every person, also without a role', accessTo({ rpc, permission: 'write', roles: 'anyone' }), roles],
  ['an operation without any role is for no person', accessTo({ rpc, permission: 'read', roles: [] }), []],
] as const;

describe.each(['session', 'oauth_token'] as const)('for a person with a credential of the kind %s', (kind) => {
  test.each(rules)('%s', (_rule, access, allowed) => {
    for (const role of roles) {
      const refusal = (allowed as readonly unknown[]).includes(role) ? undefined : 'role_missing';
      expect({ role, refusal: refusalOf(person(kind, role), access) }).toEqual({ role, refusal });
    }
  });
});

test('an OAuth token may not call what people alone may, whatever the role', () => {
  for (const role of roles) {
    const access = accessTo({ rpc, permission: 'read', roles: 'anyone', credential: 'session' });
    expect(refusalOf(person('oauth_token', role), access)).toBe('session_required');
  }
});

test('an operation for persons refuses keys', () => {
  const access = accessTo({ rpc, permission: 'read', credential: 'person' });
  expect(refusalOf({ kind: 'api_key', permissions: ['read', 'write'], role: 'owner' }, access)).toBe('person_required');
  expect(refusalOf(session('viewer'), access)).toBeUndefined();
});

describe('an OAuth token', () => {
  const abilityOf = (name: string) => agentAbilities.find(({ operations: names }) => names.includes(name));
  const token = (role: SessionRole | undefined, scopes: readonly string[]) => ({ ...person('oauth_token', role), scopes });

  test.each(Object.entries(operations))('may run %s exactly if its person allowed the line, which its role has', (name, operation) => {
    const ability = abilityOf(name);
    for (const role of sessionRoles) {
      const isShown = ability !== undefined && agentAbilitiesFor(role).includes(ability);
      for (const scopes of [...agentScopes.map((scope) => [scope]), [...agentScopes]]) {
        const isAllowed = ability?.scope === baseScope || scopes.some((scope) => scope === ability?.scope);
        const refusal = refusalOf(token(role, scopes), accessTo(operation));
        expect({ role, scopes, may: refusal === undefined }).toEqual({ role, scopes, may: isShown && isAllowed });
        expect(refusalOf(token(role, scopes), accessToRpc(operation.rpc))).toBe(refusal);
        // Another scope would not help a role that may not.
        if (isShown && !isAllowed) expect(refusal).toBe('insufficient_scope');
      }
    }
  });

  test.each(Object.entries(operations))('finds %s closed exactly while no owner has opened its scope', (name, operation) => {
    const { agentScope } = accessTo(operation);
    for (const can_build of [true, false]) {
      const refusal = agentRefusalOf({ is_enabled: true, disabled_tools: [], can_build }, agentToolOf(name), agentScope);
      const isClosed = agentScope !== undefined && needsOpening(agentScope) && !can_build;
      expect(refusal).toBe(isClosed ? 'agents_not_open' : undefined);
    }
  });

  test('of before there were several scopes may do what `mcp` stands for', () => {
    expect(refusalOf(person('oauth_token', 'owner'), accessToRpc('projects.UpdateProject'))).toBeUndefined();
    expect(refusalOf(person('oauth_token', 'owner'), accessToRpc('projects.PublishProject'))).toBe('insufficient_scope');
  });

  test('that lacks a scope is told which one', () => {
    const message = accessError(token('owner', ['mcp']), accessToRpc('projects.PublishProject'))?.message;
    expect(message).toContain('`mcp:publish`');
  });

  test('may run the operations of all tools, and each operation has one line', () => {
    const named = agentAbilities.flatMap(({ operations: names }) => names);
    expect(named).toEqual([...new Set(named)]);
    expect(named).toEqual(expect.arrayContaining(Object.values(allTools).map(({ operation }) => operation)));
  });

  test('is told that agents may not, whatever the role of its person', () => {
    for (const role of roles) {
      for (const name of ['deleteDomain', 'deleteSubmission', 'rotateWebhookSecret', 'listOrders'])
        expect(refusalOf(token(role, agentScopes), accessToRpc(operations[name]?.rpc ?? ''))).toBe('oauth_token_refused');
    }
  });
});

test('an embed token may call exactly the operations for it, whatever its role', () => {
  const token = (role?: SessionRole) => ({ kind: 'embed_token' as const, permissions: permissionsOf(role), role });
  expect(refusalOf(token(), accessTo({ rpc, permission: 'write', roles: [], embed: true }))).toBeUndefined();
  expect(refusalOf(token('owner'), accessTo({ rpc, permission: 'read' }))).toBe('embed_token_refused');
  expect(refusalOf(token('owner'), undefined)).toBe('embed_token_refused');
});

test('the access to an RPC is that of its operation, but whether a key may read or write is asked of the operation alone', () => {
  for (const operation of Object.values(operations)) {
    expect(accessToRpc(operation.rpc)).toEqual({ ...accessTo(operation), permission: operation.area });
  }
});

test('an RPC serves one operation, so its access is declared once', () => {
  const rpcs = Object.values(operations).map(({ rpc }) => rpc);
  expect(new Set(rpcs).size).toBe(rpcs.length);
});

test('exactly the operations below /account are for people alone, or for keys with the permission of their area; but an undo, by which keys reach what they changed', () => {
  const { undoAgentSession: _, ...others } = operations;
  for (const { path, credential, area } of Object.values(others)) {
    const isManaged = area !== undefined;
    expect({ path, isManaged, isForPeople: credential === 'session' }).toEqual({
      ...{ path, isManaged: path.startsWith('/account/') && credential !== 'session' },
      isForPeople: path.startsWith('/account/') && area === undefined,
    });
  }
});

test('a session without a role may call exactly the operations for anyone', () => {
  expect(refusalOf(session(undefined), accessTo({ rpc, roles: 'anyone', permission: 'read' }))).toBeUndefined();
  expect(refusalOf(session(undefined), accessTo({ rpc, permission: 'read' }))).toBe('role_missing');
});

const key = (permissions: readonly ('read' | 'write')[], role?: SessionRole) => ({ kind: 'api_key' as const, permissions, role });
const write = accessTo({ rpc, permission: 'write' });
const writePlans = accessTo({ rpc, permission: 'write', roles: ['owner'] });

test.each([
  [
    'session_required',
    'of an operation for people, whatever its permissions',
    key([]),
    accessTo({ rpc, permission: 'write', credential: 'session' }),
  ],
  ['permission_missing', 'without the permission, before its role is looked at', key(['read'], 'viewer'), writePlans],
  ['role_missing', 'whose creator had too small a role', key(['read', 'write'], 'admin'), writePlans],
  [undefined, 'with the permission and a sufficient role', key(['read', 'write'], 'owner'), writePlans],
  [undefined, 'with the permission that was made without a role', key(['read', 'write']), write],
] as const)('%s: a key %s', (refusal, _case, principal, access) => {
  expect(refusalOf(principal, access)).toBe(refusal);
});

test.each(['operator', 'service'] as const)('an %s is bound by no operation', (kind) => {
  for (const access of [undefined, write, accessTo({ rpc, permission: 'write', credential: 'session' })])
    expect(refusalOf({ kind, permissions: [] }, access)).toBeUndefined();
});

test('neither a session nor a key may call an RPC without an operation', () => {
  expect(refusalOf(session('owner'), undefined)).toBe('role_missing');
  expect(refusalOf(key(['read', 'write'], 'owner'), undefined)).toBe('permission_missing');
});

test('a service can read from another service on behalf of a write-only key', () => {
  expect(refusalOf(key(['write']), accessTo({ rpc, permission: 'read' }))).toBe('permission_missing');
  expect(refusalOf(key(['write']), accessToRpc('projects.GetProject'))).toBeUndefined();
});

test('a key that is restricted to a client may call what the client may, and what every key may', () => {
  const restricted = { ...key(['read', 'write']), client_id: 'c1' };
  expect(refusalOf(restricted, accessTo({ rpc, permission: 'write', roles: ['owner', 'client'] }))).toBeUndefined();
  expect(refusalOf(restricted, accessTo({ rpc, permission: 'read', credential: 'anyKey' }))).toBeUndefined();
  for (const access of [write, accessTo({ rpc, permission: 'read' }), accessTo({ rpc, permission: 'read', area: 'keys' })])
    expect(refusalOf(restricted, access)).toBe('key_restricted');
});

test('a key or token of one project may call what is of a project, as without that limit, and what every key may', () => {
  const token = { ...person('oauth_token', 'owner'), scopes: agentScopes };
  for (const [name, operation] of Object.entries(operations)) {
    const { path, method, input, credential, rpc: called } = operation;
    const isOfProject = path.includes('{projectId}') || (method === 'GET' && 'project_id' in (input?.shape ?? {}));
    const isOpen = isOfProject || name === 'listProjects' || credential === 'anyKey';
    for (const principal of [{ ...key(['read', 'write'], 'owner'), permissions }, token]) {
      const whole = refusalOf(principal, accessTo(operation));
      const isPersons = whole === 'session_required' || whole === 'person_required' || whole === 'oauth_token_refused';
      const limited = { ...principal, project_id: 'p1' };
      const expected = isOpen || isPersons ? whole : 'project_restricted';
      expect([name, refusalOf(limited, accessTo(operation))]).toEqual([name, expected]);
      if (expected !== undefined) expect([name, accessError(limited, accessToRpc(called)) !== undefined]).toEqual([name, true]);
    }
  }
});

test('a key without the permission is told which one is missing', () => {
  const access = accessTo({ rpc, permission: 'read', area: 'audit' });
  expect(accessError(key(['read', 'write']), access)?.message).toContain('lacks the permission `audit`');
  expect(accessError({ ...key(['read']), permissions: ['audit'] }, access)).toBeUndefined();
});
