import { createSerializer, operations } from '@webkiln/contract';
import { call, callForReply } from './client/peers.ts';
import { JsonReply, jsonEncoderOf, methodNamed } from './methods.ts';
import { callerOf, connectTo, startReplica, transports } from './testing/loopback.ts';

type Output = Exclude<(typeof operations)[string]['output'], string>;
/** A schema, as far as this test reads it. */
interface Schema {
  readonly def: { readonly type: string };
  readonly shape: Readonly<Record<string, Schema>>;
  readonly element: Schema;
  unwrap(): Schema;
}

const text = 'é "a"\n\u2028';

/** A reply as a handler may return it: with every field, or with those alone that a message cannot be without. */
function replyOf(schema: Schema, isWhole: boolean): unknown {
  const { type } = schema.def;
  if (type === 'object') {
    return Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, replyOf(field, isWhole)]));
  }
  if (type === 'record') return isWhole ? [{ name: '__proto__', values: [text] }] : [];
  if (!isWhole) return undefined;
  if (type === 'nullable' || type === 'optional') return replyOf(schema.unwrap(), isWhole);
  if (type === 'array') return [replyOf(schema.element, isWhole)];
  if (type === 'number') return 7;
  return type === 'boolean' ? true : text;
}

const reads = Object.entries(operations).filter(([, { method, output }]) => method === 'GET' && typeof output !== 'string');

test.each(reads)('%s has the same JSON from its service as from a message', (_name, { rpc, output }) => {
  const method = methodNamed(rpc);
  const serialize = createSerializer(output as Output);
  for (const isWhole of [true, false]) {
    const reply = replyOf(output as unknown as Schema, isWhole) as object;
    const json = jsonEncoderOf(rpc)?.(reply).payload.toString();
    expect(json).toBe(JSON.stringify(serialize(method?.decodeReply(method.encodeReply(reply)))));
  }
});

describe.each(transports)('a caller that wants JSON (%s)', (transport) => {
  const projects = [{ id: 'é', name: 'A' }];
  const wanting = () => callerOf({ wantsJson: true });

  test('gets what the headers of its response need beside it, and another caller the message', async () => {
    await using replica = await startReplica({
      'projects.ListProjects': async () => ({ projects, total: 8, next_cursor: 'c' }),
      'projects.GetProject': async () => ({ project: projects[0], etag: '"1"' }),
    });
    await using _peers = connectTo(transport, [replica.port]);
    const { reply } = await callForReply('projects.ListProjects', {}, wanting());
    expect(reply).toBeInstanceOf(JsonReply);
    expect(reply).toMatchObject({ total: 8, next_cursor: 'c', etag: undefined });
    expect(JSON.parse((reply as object as JsonReply).json.toString())).toMatchObject({ projects, total: 8 });
    const one = (await callForReply('projects.GetProject', { project_id: 'p' }, wanting())).reply as object as JsonReply;
    expect(one).toMatchObject({ etag: '"1"', total: undefined, next_cursor: undefined });
    expect(await call('projects.ListProjects', {}, callerOf())).toMatchObject({ projects, total: 8, next_cursor: 'c' });
  });

  test('gets the message of a write and of a file', async () => {
    const content = Buffer.from('x');
    await using replica = await startReplica({
      'projects.CreateProject': async () => ({ etag: 'e' }),
      'projects.GetProjectFile': async () => ({ content }),
    });
    await using _peers = connectTo(transport, [replica.port]);
    expect(await call('projects.CreateProject', { client_email: '', name: '' }, wanting())).toMatchObject({ etag: 'e' });
    expect(await call('projects.GetProjectFile', { project_id: 'p', path: 'a' }, wanting())).toMatchObject({ content });
  });
});
