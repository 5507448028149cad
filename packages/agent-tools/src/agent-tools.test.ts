import {
  accessTo,
  agentScopes,
  agentToolNames,
  agentTools,
  allTools,
  moreTools,
  operations,
  type SessionRole,
  sessionRoles,
  toolSets,
} from '@webkiln/contract';
import { callerFor, type Principal } from '@webkiln/messages';
import { allPrepared, boundTo, tools } from './agent-tool.ts';
import { slicePage } from './run-operation.ts';
import { shortened } from './tool-result.ts';
import { ToolSelection } from './tool-selection.ts';

describe('agent tool', () => {
  const principal: Principal = { kind: 'api_key', org_id: 'org', credential_id: 'key', permissions: ['read', 'write'] };
  const as = (role: SessionRole) => callerFor({ ...principal, role }, { timeoutMs: 1000 });
  const run = (name: string, role: SessionRole) => tools.get(name)?.run({ unknown: true }, as(role));

  test.each(Object.entries(agentTools))('%s refuses exactly the roles that its operation refuses', async (name, { operation }) => {
    const isRead = operations[operation]?.permission === 'read';
    // A role that passes gets to its arguments, which are wrong.
    for (const role of ['owner', 'admin', 'developer'] as const) {
      await expect(run(name, role)).rejects.toMatchObject({ code: 'validation_failed' });
    }
    await expect(run(name, 'viewer')).rejects.toMatchObject({ code: isRead ? 'validation_failed' : 'role_missing' });
    const isForClients = operations[operation]?.roles?.includes('client' as never) ?? false;
    await expect(run(name, 'client')).rejects.toMatchObject({ code: isForClients ? 'validation_failed' : 'role_missing' });
  });

  test.each(Object.entries(allTools))(
    '%s runs for the roles of its operation, and for tokens with its scope',
    async (name, { operation }) => {
      const { roles, agentScope } = accessTo(operations[operation] as never);
      for (const role of sessionRoles) {
        for (const scopes of agentScopes.map((scope) => [scope])) {
          const token: Principal = { ...principal, kind: 'oauth_token', role, scopes };
          const isAllowed = agentScope === 'mcp:read' || scopes.some((scope) => scope === agentScope);
          const mayRun = roles !== 'anyone' && roles.has(role);
          const code = mayRun ? (isAllowed ? 'validation_failed' : 'insufficient_scope') : 'role_missing';
          await expect(allPrepared.get(name)?.run({ unknown: true }, callerFor(token, { timeoutMs: 1000 }))).rejects.toMatchObject({
            code,
          });
        }
      }
    },
  );

  const mine = '00000000-0000-4000-8000-000000000001';

  test('on a connection for one project its id is added, and that of another one is refused', () => {
    for (const given of [undefined, {}, { project_id: null }, { project_id: mine }])
      expect(boundTo(mine, given)).toEqual({ project_id: mine });
    expect(() => boundTo(mine, { project_id: '00000000-0000-4000-8000-000000000002' })).toThrow('another project');
  });

  test('a list of any size has pages that an agent can read, and no record is left out', () => {
    const all = Array.from({ length: 900 }, (_, at) => ({ path: `${at} ${'é'.repeat(at)}` }));
    const seen: object[] = [];
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const json = slicePage('files', { files: all, total: all.length }, { limit: 50, cursor });
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(20_000);
      const page = JSON.parse(json) as { files: object[]; next_cursor: string | null };
      seen.push(...page.files);
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(all);
  });

  test('a record of any length is cut to what an agent can read, and says so', () => {
    for (const fields of [
      { message: '☕'.repeat(100_000) },
      Object.fromEntries(Array.from({ length: 100 }, (_, at) => [at, 'x'.repeat(9000)])),
    ]) {
      const json = shortened(JSON.stringify({ submissions: [{ fields }] }));
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(20_000);
      expect(json).toContain('… (cut)');
    }
  });
});

describe('tool selection', () => {
  const access = (can_build: boolean) => ({ is_enabled: true, disabled_tools: [], can_build });
  const names = (query: string, known?: ReturnType<typeof access>) =>
    ToolSelection.of(query)
      .offered(known)
      .map(({ name }) => name);
  const project = '00000000-0000-4000-8000-00000000000a';
  const isRead = (name: string) => operations[allTools[name]?.operation ?? '']?.method === 'GET';

  test('an address without a query, or with one that is not about tools, has the ten tools', () => {
    for (const query of ['', 'utm_source=x', 'toolsets=', 'read_only=false']) {
      expect(names(query, access(true))).toEqual(agentToolNames);
      expect(ToolSelection.of(query)).toMatchObject({ isDefault: true, text: '', scopes: ['mcp'] });
    }
  });

  test.each(toolSets)('the set %s comes to the ten where an owner has opened it, and is unknown elsewhere', (set) => {
    const own = Object.entries(moreTools).flatMap(([name, tool]) => (tool.set === set ? name : []));
    expect(names(`toolsets=${set}`, access(true))).toEqual([...agentToolNames, ...own]);
    for (const known of [access(false), undefined]) {
      expect(names(`toolsets=${set}`, known)).toEqual(agentToolNames);
      for (const name of own) expect(ToolSelection.of(`toolsets=${set}`).find(name, known)).toBeUndefined();
    }
    for (const name of own) {
      expect(ToolSelection.of(`toolsets=${set}`).find(name, access(true))).toMatchObject({ name });
      expect(ToolSelection.none.find(name, access(true))).toBeUndefined();
    }
  });

  test('a connection that only reads has exactly the tools that change nothing', () => {
    const all = names(`toolsets=${toolSets.join(',')}&read_only=true`, access(true));
    expect(all).toEqual(Object.keys(allTools).filter(isRead));
  });

  test('a connection for one project has exactly the tools that take a project', () => {
    const selection = ToolSelection.of(`project=${project.toUpperCase()}&toolsets=${toolSets.join(',')}`);
    const expected = Object.keys(allTools).filter(
      (name) => !/client|_plan|webhook|list_(projects|templates|plans)|create_project|undo_session|search_docs/.test(name),
    );
    expect([selection.projectId, selection.offered(access(true)).map(({ name }) => name)]).toEqual([project, expected]);
  });

  test('a client is told to ask for what its tools need, narrowest first, and no more', () => {
    expect(ToolSelection.of('read_only=true').scopes).toEqual(['mcp:read']);
    expect(ToolSelection.of('toolsets=forms&read_only=true').scopes).toEqual(['mcp:read', 'mcp:forms']);
    expect(ToolSelection.of('toolsets=webhooks,sites').scopes).toEqual(['mcp', 'mcp:build', 'mcp:publish', 'mcp:webhooks']);
  });

  test('a text is read back as the same selection, and what is wrong with one is said', () => {
    const { text } = ToolSelection.of(`project=${project}&toolsets=forms,sites,forms&read_only=true&x=1`);
    expect(text).toBe(`toolsets=sites,forms&read_only=true&project=${project}`);
    expect(ToolSelection.of(text).text).toBe(text);
    expect(() => ToolSelection.of('toolsets=sites,money')).toThrow('toolsets: must name some of sites, builder');
    expect(() => ToolSelection.of('read_only=yes')).toThrow('read_only: must be true or false');
    expect(() => ToolSelection.of('project=mine')).toThrow('project: must be the id of a project');
  });
});
