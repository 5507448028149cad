import { agentToolNames, allTools, moreTools, operations, toolSets } from '@webkiln/contract';
import { ToolSelection } from './tool-selection.ts';

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
