import { agentOf, sessionIdOf } from './agent-session.ts';

const clientInfoKey = 'io.modelcontextprotocol/clientInfo';

test('a session id is the name of the client, of any characters, and fits a header', () => {
  for (const name of ['Claude', 'Café ☕', '', 'x'.repeat(100)]) {
    const id = sessionIdOf(name);
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    expect(agentOf('tools/call', {}, { 'mcp-session-id': id }).name).toBe(name === '' ? undefined : name);
  }
});

test('every other session id is unknown, whatever was changed in it', () => {
  const id = sessionIdOf('Claude');
  for (const other of [
    '',
    'mcp-',
    id.slice(0, -1),
    `${id}=`,
    id.replace('mcp-', 'mcp_'),
    id.replace('.', ''),
    sessionIdOf('Cursor').slice(0, 6) + id,
  ]) {
    expect(agentOf('tools/call', {}, { 'mcp-session-id': other })).toEqual({ isUnknown: true });
  }
});

test('the name is taken from the message, else the session, else the user agent, without control characters, at most 100', () => {
  const session = { 'mcp-session-id': sessionIdOf('Session'), 'user-agent': 'curl/8' };
  expect(agentOf('tools/call', { _meta: { [clientInfoKey]: { name: ' A\u0000\nB\u202e ' } } }, session).name).toBe('A B');
  expect(agentOf('initialize', { clientInfo: { name: 'x'.repeat(1000) } }, session).name).toBe('x'.repeat(100));
  expect(agentOf('tools/call', { clientInfo: { name: 'not here' } }, session).name).toBe('Session');
  expect(agentOf('tools/call', { _meta: { [clientInfoKey]: { name: 7 } } }, { 'user-agent': 'curl/8' }).name).toBe('curl/8');
  expect(agentOf('tools/call', undefined, {})).toEqual({});
});
