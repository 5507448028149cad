import { readFileSync } from 'node:fs';
import path from 'node:path';
import { natsAccounts, natsPasswordVariable, natsServerUsers } from '@webkiln/events/permissions';
import { processes } from '@webkiln/messages';
import { parse } from 'yaml';
import {
  chartFolder,
  exampleFile,
  exampleNames,
  helm,
  type KubernetesObject,
  kubernetesVersion,
  objectsOf,
  objectsOfExample,
  template,
} from './charts.ts';
import { schemaProblems } from './kubernetes-schemas.ts';

const small = ['--values', exampleFile('small')];

test.each([
  ...exampleNames.map((example) => [`the example ${example}`, ['--values', exampleFile(example)]] as const),
  ['one process alone', ['--set', 'only=identity']] as const,
])('helm lint --strict accepts %s', async (_what, values) => {
  expect(await helm('lint', '--strict', chartFolder, '--kube-version', kubernetesVersion, ...values)).toContain('0 chart(s) failed');
});

test.each(exampleNames)('every object of the example %s agrees with the schemas of Kubernetes 1.30 and 1.37', async (example) => {
  const objects = await objectsOfExample(example);
  expect(objects.length).toBeGreaterThan(40);
  expect(await schemaProblems(objects, ['1.30', '1.37'])).toEqual([]);
});

test('the Application of Argo CD names a chart and values that are there, and renders to what helm installs', async () => {
  const file = path.resolve(import.meta.dirname, '../argo-cd/application.yaml');
  const { spec } = parse(readFileSync(file, 'utf8')) as KubernetesObject;
  expect(path.resolve(import.meta.dirname, '../..', spec.source.path)).toBe(chartFolder);
  const values = spec.source.helm.valueFiles.flatMap((each: string) => ['--values', path.join(chartFolder, each)]);
  expect(await objectsOf(...values)).toEqual(await objectsOfExample('production'));
  expect(spec).toMatchObject({ destination: { namespace: 'webkiln' }, source: { helm: { releaseName: 'webkiln' } } });
});

test('the check of schemas finds a field that Kubernetes does not know', async () => {
  const [first] = (await objectsOfExample('small')).filter(({ kind }) => kind === 'Deployment');
  expect(await schemaProblems([{ ...first, spec: { ...first?.spec, replica: 1 } } as never], ['1.34'])).toEqual([
    expect.stringContaining("'replica' was unexpected"),
  ]);
});

test.each([
  ['an unknown value', 'gateway.replica=2', 'replica'],
  ['a misspelt setting', 'global.settings.ORIGN=https://app.example.com', 'ORIGN'],
  ['a secret among the settings', 'global.settings.KEY_PEPPER=c2VjcmV0', 'KEY_PEPPER'],
  ['the tag latest', 'global.image.tag=latest', 'tag'],
  ['a container without a limit of memory', 'identity.resources.limits.memory=null', 'memory'],
  ['a digest that is none', 'mcp.image.digest=abc', 'digest'],
  ['an extra authority from two places', 'global.extraCa.configMap=a,global.extraCa.secretName=b', 'extraCa'],
  ['no backup to keep', 'backup.keep=0', 'keep'],
  ['a schedule that is none', 'backup.schedule=daily', 'schedule'],
  ['a setting of another process', 'mcp.env.WEBHOOK_TIMEOUT=1s', 'WEBHOOK_TIMEOUT'],
])('values with %s are refused, and the message names it', async (_what, value, name) => {
  await expect(template(...small, '--set', value)).rejects.toThrow(name);
});

test('an installation without its public addresses is refused', async () => {
  await expect(template()).rejects.toThrow("missing properties 'ORIGIN', 'SITES_ORIGIN', 'PREVIEW_ORIGIN'");
});

test('an image, replicas and a setting of one process change the objects of that process alone', async () => {
  const values = 'webhooks.image.tag=1.2.3,webhooks.replicas=5,webhooks.env.WEBHOOK_TIMEOUT=7s';
  const changed = await objectsOf(...small, '--set', values);
  const others = (objects: readonly KubernetesObject[]) => objects.filter((object) => !isOf(object, 'webhooks'));
  expect(others(changed)).toEqual(others(await objectsOfExample('small')));
  const deployment = changed.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'webhooks');
  expect(deployment?.spec.template.spec.containers[0].image).toBe('ghcr.io/webkiln/webhooks:1.2.3');
});

const isOf = ({ kind, metadata }: KubernetesObject, name: string) =>
  metadata.name === name || metadata.name === `${name}-internal` || (kind === 'Job' && metadata.name.startsWith(`${name}-migrate-`));

describe('a release of one process', () => {
  const names = Object.keys(processes);
  const own = ['--set', 'only=webhooks'];

  test.each(names)('has of %s the objects that the whole installation has, and no others', async (name) => {
    const values = ['--values', exampleFile('production')];
    const within = (await objectsOfExample('production')).filter((object) => isOf(object, name));
    expect(await objectsOf(...values, '--set', `only=${name},${name}.enabled=false`)).toEqual(within);
  });

  test('is of a process that the other release leaves out', async () => {
    const left = await objectsOf(...small, '--set', 'webhooks.enabled=false');
    expect(left.filter((object) => isOf(object, 'webhooks'))).toEqual([]);
    expect(left.map(({ metadata }) => metadata.name)).toContain('webkiln-settings');
  });

  test('needs no addresses of the installation, and takes its own image, replicas and settings', async () => {
    const values = 'webhooks.image.tag=1.2.3,webhooks.replicas=5,webhooks.env.WEBHOOK_TIMEOUT=7s';
    const deployment = (await objectsOf(...own, '--set', values)).find(({ kind }) => kind === 'Deployment');
    const [{ image, env }] = deployment?.spec.template.spec.containers ?? [];
    expect([image, deployment?.spec.replicas]).toEqual(['ghcr.io/webkiln/webhooks:1.2.3', 5]);
    expect(env).toContainEqual({ name: 'WEBHOOK_TIMEOUT', value: '7s' });
  });

  test('is refused for a name that is no process', async () => {
    await expect(template(...small, '--set', 'only=webhook')).rejects.toThrow('only');
  });
});

const podOf = (objects: readonly KubernetesObject[], kind: string, name: RegExp) =>
  objects.find((object) => object.kind === kind && name.test(object.metadata.name))?.spec.template.spec;

test('the small MongoDB takes its key from its Secret, and its users are made with the passwords there, for the prefix of the platform', async () => {
  const objects = await objectsOf(...small, '--set', 'global.settings.MONGODB_PREFIX=shop');
  const secret = [{ secretRef: { name: 'webkiln-mongodb' } }];
  const server = podOf(objects, 'StatefulSet', /^mongodb$/);
  expect(server.initContainers).toMatchObject([{ args: ['mongodb', 'key-file', '--to', '/keys/key'], envFrom: secret }]);
  expect(server.containers[0].command).toContain('--keyFile=/keys/key');
  const { initContainers, containers } = podOf(objects, 'Job', /^mongodb-replica-set/);
  expect(initContainers).toMatchObject([{ args: expect.arrayContaining(['initiate']), envFrom: secret }]);
  expect(containers).toMatchObject([{ args: ['mongodb', 'users', '--prefix', 'shop'], envFrom: secret }]);
});

test('the small Redis reads its password from its Secret', async () => {
  const server = podOf(await objectsOf(...small), 'StatefulSet', /^redis$/);
  expect(server.containers[0].command.slice(0, 2)).toEqual(['redis-server', '/secret/password.conf']);
  expect(server.volumes).toContainEqual({ name: 'secret', secret: { secretName: 'webkiln-redis' } });
});

test('an installation from before the small stores had passwords goes on without them', async () => {
  const objects = await objectsOf(...small, '--set', 'stores.mongodb.users=false,stores.redis.password=false');
  expect(JSON.stringify(objects)).not.toMatch(/webkiln-mongodb|webkiln-redis|keyFile|key-file/);
  expect(podOf(objects, 'Job', /^mongodb-replica-set/).containers[0].args).toContain('initiate');
});

const natsOf = async (...values: string[]) => {
  const objects = await objectsOf(...small, ...values);
  const one = (wanted: string) => objects.find(({ kind, metadata }) => kind === wanted && metadata.name === 'nats');
  const container = one('StatefulSet')?.spec.template.spec.containers[0];
  const conf: string = one('ConfigMap')?.data['nats.conf'];
  return { conf, environment: container?.envFrom };
};

test('the small NATS has exactly the users of the code, for the prefix of the platform, with passwords from its Secret', async () => {
  const { conf, environment } = await natsOf('--set', 'global.settings.EVENTS_PREFIX=shop_');
  expect(conf).toContain(natsServerUsers('shop_').trimEnd());
  const variables = [...conf.matchAll(/password: \$(\w+)/g)].map(([, variable]) => variable);
  expect(variables).toEqual(natsAccounts.map(natsPasswordVariable));
  expect(environment).toEqual([{ secretRef: { name: 'webkiln-nats' } }]);
});

test('an installation from before there were users goes on without them by stores.nats.users=false', async () => {
  const { conf, environment } = await natsOf('--set', 'stores.nats.users=false');
  expect({ hasUsers: conf.includes('authorization'), environment }).toEqual({ hasUsers: false, environment: undefined });
});
