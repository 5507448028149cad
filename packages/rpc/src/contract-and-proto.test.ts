import path from 'node:path';
import { loadSync } from '@grpc/proto-loader';
import {
  Account,
  AuditEntry,
  Client,
  createSerializer,
  Delivery,
  DeliveryAttempt,
  Deploy,
  File,
  Form,
  FormSettings,
  Invitation,
  Key,
  KeyUsage,
  LoggedRequest,
  Member,
  type Operation,
  Organization,
  operations,
  Place,
  Plan,
  Project,
  RequestCredential,
  Session,
  Submission,
  Template,
  Usage,
  UsageDay,
  Webhook,
  WebhookWithSecret,
} from '@webkiln/contract';
import { internalMethodsWithSecret, services } from '@webkiln/messages';
import { call, callForReply } from './client/peers.ts';
import { JsonReply, jsonEncoderOf, methodNamed } from './methods.ts';
import { callerOf, connectTo, startReplica, transports } from './testing/loopback.ts';

describe('contract and proto', () => {
  interface Field {
    readonly name: string;
    readonly typeName?: string;
  }
  interface Message {
    readonly field: readonly Field[];
  }
  interface MessageShape {
    readonly type: Message;
  }
  interface MethodShape {
    readonly requestType: MessageShape;
    readonly responseType: MessageShape;
  }

  const protos = path.resolve(__dirname, '../../../protos');
  const areas = Object.values(services).flatMap((service) => service.areas);
  const definition = loadSync(
    areas.map((area) => `webkiln/${area}/v1/${area}.proto`),
    { keepCase: true, includeDirs: [protos] },
  );
  const serviceOf = (area: string) =>
    definition[`webkiln.${area}.v1.${area[0]?.toUpperCase()}${area.slice(1)}`] as unknown as Record<string, MethodShape>;
  const methodOf = ({ rpc }: Operation): MethodShape | undefined => {
    const [area = '', method = ''] = rpc.split('.');
    return serviceOf(area)?.[method];
  };
  const names = (fields: readonly Field[] = []) => fields.map(({ name }) => name).sort();
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const all = Object.entries(operations);

  test.each(all)('%s is served by an RPC of the proto', (_name, operation) => {
    expect(methodOf(operation)).toBeDefined();
  });

  test.each(all)('%s and its proto request have the same fields', (_name, operation) => {
    const path = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => snake(name as string));
    const mask = operation.method === 'PATCH' ? ['update_mask'] : [];
    const bound = operation.output === 'file' ? ['max_bytes'] : [];
    const audited = operation.csv !== undefined && 'next' in operation.csv ? ['is_export'] : [];
    expect(names(methodOf(operation)?.requestType.type.field)).toEqual(
      [...Object.keys(operation.input?.shape ?? {}), ...path, ...mask, ...bound, ...audited].sort(),
    );
  });

  test.each(all)('%s and its proto reply have the same fields', (_name, operation) => {
    const reply = names(methodOf(operation)?.responseType.type.field).filter((name) => name !== 'etag' && name !== 'next_cursor');
    const { output } = operation;
    const bytes = { file: ['content', 'file', 'filename'], stream: ['ended_turn_id', 'turn_id'] };
    expect(reply).toEqual(typeof output === 'string' ? bytes[output] : Object.keys(output.shape).sort());
  });

  test.each([
    ['webkiln.accounts.v1.Account', Account],
    ['webkiln.accounts.v1.AuditEntry', AuditEntry],
    ['webkiln.accounts.v1.Organization', Organization],
    ['webkiln.accounts.v1.Place', Place],
    ['webkiln.accounts.v1.Session', Session],
    ['webkiln.accounts.v1.Key', Key],
    ['webkiln.accounts.v1.KeyUsage', KeyUsage],
    ['webkiln.accounts.v1.LoggedRequest', LoggedRequest],
    ['webkiln.accounts.v1.RequestCredential', RequestCredential],
    ['webkiln.accounts.v1.Usage', Usage],
    ['webkiln.accounts.v1.UsageDay', UsageDay],
    ['webkiln.accounts.v1.Member', Member],
    ['webkiln.accounts.v1.Invitation', Invitation],
    ['webkiln.clients.v1.Client', Client],
    ['webkiln.plans.v1.Plan', Plan],
    ['webkiln.projects.v1.Project', Project],
    ['webkiln.projects.v1.File', File],
    ['webkiln.projects.v1.Deploy', Deploy],
    ['webkiln.forms.v1.Form', Form],
    ['webkiln.forms.v1.Submission', Submission],
    ['webkiln.forms.v1.FormSettings', FormSettings],
    ['webkiln.templates.v1.Template', Template],
    ['webkiln.webhooks.v1.Webhook', Webhook],
    ['webkiln.webhooks.v1.WebhookWithSecret', WebhookWithSecret],
    ['webkiln.webhooks.v1.Delivery', Delivery],
    ['webkiln.webhooks.v1.DeliveryAttempt', DeliveryAttempt],
  ] as const)('%s has the fields of the contract, optional where they are nullable or optional', (message, schema) => {
    const { field, oneofDecl } = (definition[message] as unknown as { type: { field: readonly Field[]; oneofDecl: readonly Field[] } })
      .type;
    // The compiler wraps each proto3 `optional` field in a synthetic oneof that is named after it.
    const optional = new Set(oneofDecl.map(({ name }) => name.slice(1)));
    expect(Object.fromEntries(field.map(({ name }) => [name, optional.has(name)]))).toEqual(
      Object.fromEntries(
        Object.entries(schema.shape).map(([name, type]) => [name, [null, undefined].some((none) => type.safeParse(none).success)]),
      ),
    );
  });

  const messageNamed = (name: string) => (definition[name] as unknown as MessageShape | undefined)?.type;
  const secretName = /(^|_)(secret|token|password|private_key)$/;
  const showsSecret = (area: string, { field }: Message): boolean =>
    field.some(({ name, typeName }) => {
      const nested = typeName ? messageNamed(`webkiln.${area}.v1.${typeName}`) : undefined;
      return secretName.test(name) || (nested !== undefined && showsSecret(area, nested));
    });
  const methods = areas.flatMap((area) =>
    Object.entries(serviceOf(area)).map(([name, shape]) => [`${area}.${name}`, area, shape] as const),
  );

  test.each(methods)('%s declares `showsSecret` if its reply has a field named like a secret', (name, area, { responseType }) => {
    const declared = Object.values(operations).some(({ rpc, showsSecret: shows }) => shows && rpc === name);
    expect(declared || internalMethodsWithSecret.includes(name)).toBe(showsSecret(area, responseType.type));
  });
});

describe('methods', () => {
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
});
