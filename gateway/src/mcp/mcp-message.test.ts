import type { IncomingHttpHeaders } from 'node:http';
import { agentOf, messageIn, SharedAnswers, sessionIdOf } from './mcp-message.ts';

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

const revision = { 'mcp-protocol-version': '2025-11-25' };
const list = (id: unknown, more: object = {}) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', ...more }));
const reply = (id: unknown) => {
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
  const rest = ',"result":{"tools":[]}}';
  return { status: 200, json: Buffer.from(start + rest), shared_from: Buffer.byteLength(start), outcome_status: 0, outcome_code: '' };
};

/** An hour ahead: kept for as long as a test takes. */
const later = performance.now() + 3_600_000;

/** Answers that have one entry: the list for the message 1 of the organization. */
function kept(askedAt = later) {
  const shared = new SharedAnswers();
  const keyOf = (body: Buffer, org: string | undefined, headers: IncomingHttpHeaders = revision) =>
    shared.keyOf(messageIn(body), body, headers, org);
  const key = keyOf(list(1), 'org') as string;
  shared.keep(key, reply(1), askedAt);
  const found = (body: Buffer, org: string | undefined = 'org', headers: IncomingHttpHeaders = revision) => {
    const other = keyOf(body, org, headers);
    const answer = other === undefined ? undefined : shared.find(other, messageIn(body).id);
    return answer && JSON.parse(answer.start + answer.json);
  };
  return { shared, key, keyOf, found };
}

test('an answer is repeated for another id, and for no other organization, revision, header or content', () => {
  const { found } = kept();
  for (const id of [2, 'é "a"', '', -1]) expect(found(list(id))).toEqual({ jsonrpc: '2.0', id, result: { tools: [] } });
  expect(found(list(2), 'other')).toBeUndefined();
  expect(found(list(2), '')).toBeUndefined();
  expect(found(list(2), 'org', {})).toBeUndefined();
  expect(found(list(2), 'org', { ...revision, 'mcp-method': 'tools/list' })).toBeUndefined();
  for (const more of [{ params: {} }, { params: { cursor: 'c' } }, { extra: 1 }, { method: 'ping' }, { jsonrpc: '1.0' }]) {
    expect(found(list(2, more))).toBeUndefined();
  }
});

test('an answer is kept for less than a second after mcp was asked', () => {
  expect(kept(performance.now() - 1000).found(list(2))).toBeUndefined();
});

test('what mcp does not share is not kept', () => {
  const { shared, key } = kept(performance.now() - 1000);
  shared.keep(key, { ...reply(1), shared_from: 0 }, later);
  expect(shared.find(key, 2)).toBeUndefined();
});

test('calls, notifications and ids that are no ids have no shared answer, nor has a large message, however deep', () => {
  const { keyOf } = kept();
  expect(keyOf(list(1, { method: 'tools/call' }), 'org')).toBeUndefined();
  expect(keyOf(list(null), 'org')).toBeUndefined();
  expect(keyOf(list({}), 'org')).toBeUndefined();
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  expect(keyOf(Buffer.from(deep), 'org')).toBeUndefined();
  expect(keyOf(list(1), 'org', { 'mcp-name': 'x'.repeat(4000) })).toBeUndefined();
});

test('entries are bounded in bytes', () => {
  const { shared, key } = kept();
  const large = { ...reply(1), json: Buffer.alloc(1024 * 1024, ' ') };
  for (let at = 0; at < 17; at++) shared.keep(`${at}`, large, later);
  expect(shared.find(key, 2)).toBeUndefined();
  expect(shared.find('16', 2)).toBeDefined();
});
