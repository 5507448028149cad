import { callersOf, httpServiceNames, type ProcessName, processes, rpcPeersOf, type ServiceName } from '@webkiln/messages';
import { tlsConfig } from '@webkiln/runtime';
import { exampleFile, exampleNames, type KubernetesObject, objectsOf, objectsOfExample, template } from './charts.ts';

const names = Object.keys(processes) as ProcessName[];

// biome-ignore lint/suspicious/noExplicitAny: a pod template, of which the checks read parts
type Part = any;

interface Workload {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: Part;
  /** A server, which is probed; a Job is not. */
  readonly isServer: boolean;
}

/** Every pod that the objects start. */
const workloads = (objects: readonly KubernetesObject[]): Workload[] =>
  objects.flatMap(({ kind, metadata, spec }) => {
    const template = kind === 'CronJob' ? spec.jobTemplate.spec.template : spec?.template;
    if (!['Deployment', 'StatefulSet', 'Job', 'CronJob'].includes(kind)) return [];
    const name = `${kind} ${metadata.name}`;
    return [{ name, labels: template.metadata.labels, pod: template.spec, isServer: ['Deployment', 'StatefulSet'].includes(kind) }];
  });

/** What a pod lacks: of the Pod Security Standard "restricted", and of what a workload in production must have. */
function podProblems({ name, pod, isServer }: Workload): string[] {
  const rules: [problem: string, holds: boolean][] = [
    ['may run as root', pod.securityContext?.runAsNonRoot === true && pod.securityContext.runAsUser > 0],
    ['has no seccomp profile', pod.securityContext?.seccompProfile?.type === 'RuntimeDefault'],
    ["shares the node's namespaces", !pod.hostNetwork && !pod.hostPID && !pod.hostIPC],
    ['has a token of the cluster', pod.automountServiceAccountToken === false],
    ['has a volume of the node', (pod.volumes ?? []).every((volume: Part) => volume.hostPath === undefined)],
    ['has a volume without a bound', (pod.volumes ?? []).every(({ emptyDir }: Part) => emptyDir === undefined || emptyDir.sizeLimit)],
  ];
  const found = [
    ...pod.containers.flatMap((container: Part) => containerProblems(container, isServer)),
    // One that has ended before the others begin has no probes.
    ...(pod.initContainers ?? []).flatMap((container: Part) => containerProblems(container, false)),
  ];
  return [...rules.flatMap(([problem, holds]) => (holds ? [] : [problem])), ...found].map((problem) => `${name} ${problem}`);
}

function containerProblems({ image, resources, securityContext, ports, ...container }: Part, isServer: boolean): string[] {
  const rules: [problem: string, holds: boolean][] = [
    ['may gain privileges', securityContext?.allowPrivilegeEscalation === false && securityContext.privileged !== true],
    ['keeps capabilities', securityContext?.capabilities?.drop?.includes('ALL') === true && !securityContext.capabilities.add],
    ['writes to its root', securityContext?.readOnlyRootFilesystem === true],
    ['has no fixed image', /:[\w.-]+$|@sha256:[0-9a-f]{64}$/.test(image) && !image.endsWith(':latest')],
    ['has no limit of memory', resources?.limits?.memory !== undefined],
    ['requests nothing', resources?.requests?.cpu !== undefined && resources.requests.memory !== undefined],
    ['uses a port of the node', (ports ?? []).every((port: Part) => port.hostPort === undefined)],
    ['has no probes', !isServer || ['startupProbe', 'livenessProbe', 'readinessProbe'].every((probe) => container[probe])],
  ];
  return rules.flatMap(([problem, holds]) => (holds ? [] : [problem]));
}

/** True if a selector's labels are all among those of a pod. */
const selects = (selector: Readonly<Record<string, string>> | undefined, labels: Readonly<Record<string, string>>) =>
  Object.entries(selector ?? {}).every(([label, value]) => labels[label] === value);

describe.each(exampleNames)('example %s', (example) => {
  test('every pod is restricted, bounded, probed and of a fixed image', async () => {
    const pods = workloads(await objectsOfExample(example));
    expect(pods.length).toBeGreaterThan(8);
    expect(pods.flatMap(podProblems)).toEqual([]);
  });

  test('a network policy for both directions selects every pod', async () => {
    const objects = await objectsOfExample(example);
    const policies = objects.filter(({ kind, spec }) => kind === 'NetworkPolicy' && spec.policyTypes.length === 2);
    const open = workloads(objects).filter(({ labels }) => !policies.some(({ spec }) => selects(spec.podSelector.matchLabels, labels)));
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  test('every Service selects pods of exactly one server', async () => {
    const objects = await objectsOfExample(example);
    const pods = workloads(objects);
    for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'Service')) {
      const selected = pods.filter(({ labels }) => selects(spec.selector, labels));
      expect([metadata.name, selected.map(({ isServer }) => isServer)]).toEqual([metadata.name, [true]]);
    }
  });

  test('nothing needs rights in the cluster or outside its namespace', async () => {
    const kinds = (await objectsOfExample(example)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => /Role|CustomResourceDefinition|Namespace$|Webhook/.test(kind))).toEqual([]);
  });
});

test('the check finds what a pod lacks', () => {
  const pod = { containers: [{ image: 'webkiln/gateway:latest' }] };
  expect(podProblems({ name: 'Deployment x', labels: {}, pod, isServer: true })).toHaveLength(10);
});

const ports = { grpc: 9000, http: 8081, public: 8080, internal: 9090 };
const storePorts = { mongodb: 27017, nats: 4222, redis: 6379 };
const nameLabel = 'app.kubernetes.io/name';

// biome-ignore lint/suspicious/noExplicitAny: a NetworkPolicy's rule
type Rule = any;
const portsOf = (rule: Rule): number[] => rule.ports.map(({ port }: { port: number }) => port);
const podNames = (peers: Rule[] = []): string[] => peers.flatMap(({ podSelector }) => podSelector?.matchLabels[nameLabel] ?? []);

const arrows = (rules: Rule[], side: 'from' | 'to') =>
  rules.flatMap((rule) => podNames(rule[side]).flatMap((pod) => portsOf(rule).map((port) => `${pod}:${port}`))).toSorted();

const policyOf = (objects: readonly KubernetesObject[], name: string) =>
  objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name)?.spec;

describe.each(names)('the network policy of %s', (name) => {
  test('lets in exactly the callers that services.ts names', async () => {
    const { ingress } = policyOf(await objectsOfExample('small'), name);
    const rpc = name === 'gateway' ? [] : callersOf(name as ServiceName).filter((issuer) => issuer === 'operator' || calls(issuer, name));
    const http = (httpServiceNames as readonly string[]).includes(name) ? ['gateway:8081'] : [];
    const status = `operator:${ports.internal}`;
    expect(arrows(ingress, 'from')).toEqual([...rpc.map((caller) => `${caller}:${ports.grpc}`), ...http, status].toSorted());
    const open = ingress.filter(({ from }: Rule) => from === undefined).flatMap(portsOf);
    expect(open).toEqual(name === 'gateway' ? [ports.public] : []);
  });

  test('lets out to exactly the peers, stores and networks that services.ts names', async () => {
    const { egress } = policyOf(await objectsOfExample('small'), name);
    const http = name === 'gateway' ? httpServiceNames.map((peer) => `${peer}:${ports.http}`) : [];
    const row = processes[name];
    const stores = row.stores.map((store) => `${store}:${storePorts[store]}`);
    expect(arrows(egress, 'to')).toEqual([...rpcPeersOf(name).map((peer) => `${peer}:${ports.grpc}`), ...http, ...stores].toSorted());
    const beyond = egress.filter(({ to }: Rule) => to === undefined).flatMap(portsOf);
    expect(beyond).toEqual([53, 53]);
    const internet = egress.filter(({ to }: Rule) => to?.[0]?.ipBlock !== undefined);
    expect(internet).toHaveLength((row.egress as readonly string[]).includes('internet') ? 1 : 0);
    for (const { to } of internet) expect(to[0].ipBlock.except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16']));
  });
});

test('outside of the small stores, what each process reaches is named: stores and mail server must have an address', async () => {
  const objects = await objectsOfExample('production');
  for (const name of names) {
    const open = (policyOf(objects, name).egress as Rule[]).filter(({ to }) => to === undefined).flatMap(portsOf);
    expect([name, open]).toEqual([name, [53, 53]]);
  }
  for (const place of ['stores.mongodb', 'stores.nats', 'stores.redis', 'mail']) {
    const without = template('--values', exampleFile('production'), '--set-json', `global.networkPolicy.${place}.to=[]`);
    await expect(without).rejects.toThrow(`global.networkPolicy.${place}.to`);
  }
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

const withTls = ['production', 'gateway-api'];
type Named = { readonly name: string };

const podsOf = (objects: readonly KubernetesObject[], name: string) =>
  workloads(objects)
    .filter(({ labels }) => labels['app.kubernetes.io/name'] === name)
    .map(({ pod }) => pod);
const byName = <T extends Named>(list: readonly T[], name: string) => list.find((each) => each.name === name);

/** The volume that a file of a container is on. */
function volumeOf(pod: KubernetesObject['spec'], file: string) {
  const [{ volumeMounts }] = pod.containers;
  const mount = volumeMounts.find(({ mountPath }: { mountPath: string }) => file.startsWith(`${mountPath}/`));
  return byName<Named & Record<string, { name?: string; secretName?: string }>>(pod.volumes, mount?.name);
}

describe.each(withTls)('example %s', (example) => {
  test.each(names)('%s finds its certificate, key and authorities in a Secret of its own', async (name) => {
    const objects = await objectsOfExample(example);
    const secret = example === 'gateway-api' && name === 'identity' ? 'identity-certificate' : `webkiln-${name}-tls`;
    for (const pod of podsOf(objects, name)) {
      const files = Object.keys(tlsConfig).map((setting) => byName<Named & { value: string }>(pod.containers[0].env, setting)?.value ?? '');
      expect(files.map((file) => file.split('/').at(-1))).toEqual(['tls.crt', 'tls.key', 'ca.crt']);
      for (const file of files) expect(volumeOf(pod, file)?.secret?.secretName).toBe(secret);
    }
  });

  test('every pod that calls a store believes the authority of the stores', async () => {
    const objects = await objectsOfExample(example);
    for (const { name, pod } of workloads(objects)) {
      const file = byName<Named & { value: string }>(pod.containers[0].env, 'NODE_EXTRA_CA_CERTS')?.value ?? '';
      const volume = volumeOf(pod, file);
      expect([name, volume?.configMap?.name ?? volume?.secret?.secretName]).toEqual([name, 'stores-ca']);
    }
  });
});

test('an issuer makes a certificate for each process and for operators, with the name of the process and for both ends', async () => {
  const certificates = (await objectsOfExample('production')).filter(({ kind, spec }) => kind === 'Certificate' && spec.usages);
  const made = certificates.map(({ spec }) => [spec.secretName, spec.dnsNames, spec.issuerRef.name]);
  const issuer = 'webkiln-processes';
  expect(made.toSorted()).toEqual([...names, 'operator'].map((name) => [`webkiln-${name}-tls`, [name], issuer]).toSorted());
  for (const { spec } of certificates) expect(spec.usages).toEqual(expect.arrayContaining(['server auth', 'client auth']));
});

test('another Secret with a certificate makes another migration Job, because the pod of a Job cannot change', async () => {
  const jobOf = async (...values: string[]) =>
    (await objectsOf('--set', 'only=identity,global.tls.enabled=true', ...values)).find(({ kind }) => kind === 'Job')?.metadata.name;
  const [first, same, other] = [await jobOf(), await jobOf(), await jobOf('--set', 'identity.tls.secretName=other')];
  expect(same).toBe(first);
  expect(other).not.toBe(first);
});

test('without an issuer the charts make no certificates of processes, and without global.tls no process has one', async () => {
  expect((await objectsOfExample('gateway-api')).filter(({ kind }) => kind === 'Certificate')).toEqual([]);
  const plain = exampleNames.filter((example) => !withTls.includes(example));
  expect(plain).toEqual(['aws', 'small', 'stores-in-cluster', 'traefik']);
  for (const example of plain) expect(JSON.stringify(await objectsOfExample(example))).not.toMatch(/TLS_CERT/);
  expect(JSON.stringify(await objectsOfExample('small'))).not.toMatch(/NODE_EXTRA_CA_CERTS/);
});
