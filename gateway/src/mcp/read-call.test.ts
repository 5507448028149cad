import type { IncomingHttpHeaders } from 'node:http';
import { messageIn } from './mcp-message.ts';
import { readCallOf } from './read-call.ts';

const revision = '2025-11-25';
const messageOf = (params: unknown, more: object = {}) =>
  messageIn(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params, ...more })));
const read = (params: unknown, more?: object, headers: IncomingHttpHeaders = { 'mcp-protocol-version': revision }) =>
  readCallOf(messageOf(params, more), headers);

test.each<[{ name: string; arguments?: object; _meta?: object }]>([
  [{ name: 'list_plans' }],
  [{ name: 'list_projects', arguments: { limit: 5, client_id: null } }],
  [{ name: 'get_project', arguments: {}, _meta: { progressToken: 'p' } }],
])('a plain call of a tool that reads is run by the gateway: %j', (params) => {
  expect(read(params)).toMatchObject({ tool: { name: params.name }, arguments: params.arguments });
  expect(read(params, { id: 'a' }, {})).toBeDefined();
});

test.each([
  ['a tool that writes', { name: 'create_client', arguments: {} }],
  ['an unknown tool', { name: 'burn' }],
  ['another field', { name: 'list_plans', extra: 1 }],
  ['an envelope', { name: 'list_plans', _meta: { 'io.modelcontextprotocol/protocolVersion': revision } }],
  ['a progress token of another type', { name: 'list_plans', _meta: { progressToken: {} } }],
  ['arguments that are none', { name: 'list_plans', arguments: [] }],
  ['arguments of more levels', { name: 'list_plans', arguments: { limit: [[1]] } }],
  ['a name that validators drop', JSON.parse('{"name":"list_plans","arguments":{"__proto__":1}}')],
])('a call with %s is left to mcp', (_which, params) => {
  expect(read(params)).toBeUndefined();
});

test.each([
  ['without an id', { id: undefined }, {}],
  ['with an id that is none', { id: 1.5 }, {}],
  ['of another JSON-RPC', { jsonrpc: '1.0' }, {}],
  ['with another field', { extra: 1 }, {}],
  ['of the revision 2026-07-28', {}, { 'mcp-protocol-version': '2026-07-28' }],
  ['of an unknown revision', {}, { 'mcp-protocol-version': '1999-01-01' }],
])('a message %s is left to mcp', (_which, more, headers) => {
  expect(read({ name: 'list_plans' }, more, headers)).toBeUndefined();
});
