import { callersOf, httpServiceNames, type ProcessName, processes, rpcPeersOf, type ServiceName } from '@webkiln/messages';
import { exampleFile, type KubernetesObject, objectsOf, objectsOfExample, template } from './charts.ts';

const names = Object.keys(processes) as ProcessName[];
const ports = { grpc: 9000, http: 8081, public: 8080 };
const storePorts = { mongodb: 27017, nats: 4222, redis: 6379 };
const nameLabel = 'app.kubernetes.io/name';

// biome-ignore lint/suspicious/noExplicitAny: a NetworkPolicy's rule
type Rule = any;
const portsOf = (rule: Rule): number[] => rule.ports.map(({ port }: { port: number }) => port);
const podsOf = (peers: Rule[] = []): string[] => peers.flatMap(({ podSelector }) => podSelector?.matchLabels[nameLabel] ?? []);

const arrows = (rules: Rule[], side: 'from' | 'to') =>
  rules.flatMap((rule) => podsOf(rule[side]).flatMap((pod) => portsOf(rule).map((port) => `${pod}:${port}`))).toSorted();

const policyOf = (objects: readonly KubernetesObject[], name: string) =>
  objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name)?.spec;

describe.each(names)('the network policy of %s', (name) => {
  test('lets in exactly the callers that services.ts names', async () => {
    const { ingress } = policyOf(await objectsOfExample('small'), name);
    const rpc = name === 'gateway' ? [] : callersOf(name as ServiceName).filter((issuer) => issuer === 'operator' || calls(issuer, name));
    const http = (httpServiceNames as readonly string[]).includes(name) ? ['gateway:8081'] : [];
    expect(arrows(ingress, 'from')).toEqual([...rpc.map((caller) => `${caller}:${ports.grpc}`), ...http].toSorted());
    const open = ingress.filter(({ from }: Rule) => from === undefined).flatMap(portsOf);
    expect(open).toEqual(name === 'gateway' ? [ports.public] : []);
  });

  test('lets out to exactly the peers, stores and networks that services.ts names', async () => {
    const { egress } = policyOf(await objectsOfExample('small'), name);
    const http = name === 'gateway' ? httpServiceNames.map((peer) => `${peer}:${ports.http}`) : [];
    expect(arrows(egress, 'to')).toEqual([...rpcPeersOf(name).map((peer) => `${peer}:${ports.grpc}`), ...http].toSorted());
    const row = processes[name];
    const mail = (row.egress as readonly string[]).includes('mail') ? [25, 465, 587] : [];
    const beyond = egress.filter(({ to }: Rule) => to === undefined).flatMap(portsOf);
    expect(beyond).toEqual([...row.stores.map((store) => storePorts[store]), 53, 53, ...mail]);
    const internet = egress.filter(({ to }: Rule) => to?.[0]?.ipBlock !== undefined);
    expect(internet).toHaveLength((row.egress as readonly string[]).includes('internet') ? 1 : 0);
    for (const { to } of internet) expect(to[0].ipBlock.except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16']));
  });
});

const calls = (issuer: string, name: string) => (rpcPeersOf(issuer as ProcessName) as readonly string[]).includes(name);

test('only the processes with that store in services.ts reach it, backups, and the Job that makes it a replica set', async () => {
  const objects = await objectsOfExample('small');
  for (const [store, port] of Object.entries(storePorts)) {
    const users = names.filter((name) => (processes[name].stores as readonly string[]).includes(store));
    const backup = store === 'redis' ? [] : ['backup'];
    expect(arrows(policyOf(objects, store).ingress, 'from')).toEqual(
      [...users, ...backup, store].map((name) => `${name}:${port}`).toSorted(),
    );
  }
});

test('a service of a release of its own has the same objects as within the umbrella', async () => {
  const chart = 'identity';
  const own = objectsOf(await template(chart));
  const within = (await objectsOfExample('small')).filter(({ metadata }) => metadata.name === chart);
  expect(own.map(({ kind }) => kind)).toEqual(expect.arrayContaining(within.map(({ kind }) => kind)));
  const left = objectsOf(await template('webkiln', '--values', exampleFile('small'), '--set', `${chart}.enabled=false`));
  expect(left.filter(({ metadata }) => metadata.name === chart)).toEqual([]);
  expect(left.map(({ metadata }) => metadata.name)).toContain('webkiln-settings');
});
