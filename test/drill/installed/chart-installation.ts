import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { helm, runCommand, supplyProgram, terminalReport } from '@webkiln/dev-platform';
import { parseAllDocuments } from 'yaml';
import { type Container, Machine } from './machine.ts';
import type { Artifacts } from './release-artifacts.ts';
import type { Installation } from './ten-minutes.ts';

// biome-ignore lint/suspicious/noExplicitAny: each kind of object has parts of its own
type Parts = any;
interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [part: string]: Parts;
}

const ports: Readonly<Record<string, number>> = { mongodb: 27_017, nats: 4222, redis: 6379 };
const objectsIn = (text: string) => parseAllDocuments(text).flatMap((each) => (each.toJS() as KubernetesObject | null) ?? []);

/**
 * `helm install` of the chart in the registry, with its own example for trying out and the Secrets that the command
 * line of its image prints. The containers of its pods and Jobs run as a kubelet starts them; services are names.
 */
export async function startChart(folder: string, { crane, registry }: Artifacts): Promise<Installation> {
  mkdirSync(folder, { recursive: true });
  const program = await supplyProgram(helm, terminalReport);
  await runCommand(program, ['pull', `oci://${registry}/webkiln/charts/webkiln`, '--plain-http', '--untar', '--untardir', folder]);
  const chart = path.join(folder, 'webkiln');
  const values = ['--values', path.join(chart, 'examples/small.yaml'), '--set', `global.image.registry=${registry}`];
  const objects = objectsIn(
    await runCommand(program, ['template', 'webkiln', chart, '--namespace', 'webkiln', '--kube-version', '1.34.0', ...values]),
  );
  const named = (kind: string, name: string) => objects.find((each) => each.kind === kind && each.metadata.name === name);
  const pods = objects.filter(({ kind }) => /^(Deployment|StatefulSet|Job)$/.test(kind));
  const machine = new Machine(folder, crane, registry, [...pods.map(({ metadata }) => metadata.name), 'operator']);
  const cli: string = named('StatefulSet', 'mongodb')?.spec.template.spec.initContainers[0].image;
  const printed = await machine.run({
    name: 'operator',
    image: cli,
    args: ['secrets', 'create', '--namespace', 'webkiln'],
    env: {},
    mounts: {},
  });
  objects.push(...objectsIn(printed));
  const dataOf = (kind: string, name: string): Record<string, string> => {
    const object = named(kind, name);
    return object?.data ?? object?.stringData ?? {};
  };

  const volumeOf = (pod: string, { name, configMap, secret }: Parts): string => {
    const data = configMap ? dataOf('ConfigMap', configMap.name) : secret ? dataOf('Secret', secret.secretName) : undefined;
    if (data === undefined) return machine.volume(pod, name);
    for (const [file, content] of Object.entries(data)) machine.file(`${pod}/${name}/${file}`, content);
    return path.join(folder, 'files', pod, name);
  };
  const containerOf = (pod: KubernetesObject, container: Parts): Container => {
    const { volumes = [] } = pod.spec.template.spec;
    const claims = (pod.spec.volumeClaimTemplates ?? []).map(({ metadata }: Parts) => metadata);
    const sources = (container.envFrom ?? []).map(({ configMapRef, secretRef }: Parts) =>
      configMapRef ? dataOf('ConfigMap', configMapRef.name) : dataOf('Secret', secretRef.name),
    );
    return {
      ...{ name: pod.metadata.name, image: container.image, command: container.command, args: container.args },
      env: Object.assign({}, ...sources, ...(container.env ?? []).map(({ name, value }: Parts) => ({ [name]: value }))),
      mounts: Object.fromEntries(
        (container.volumeMounts ?? []).map(({ name, mountPath }: Parts) => [
          mountPath,
          volumeOf(
            pod.metadata.name,
            [...volumes, ...claims].find((each: Parts) => each.name === name),
          ),
        ]),
      ),
      port: ports[pod.metadata.name],
    };
  };
  const bring = async (pod: KubernetesObject) => {
    const { initContainers = [], containers } = pod.spec.template.spec;
    for (const each of initContainers) await machine.run(containerOf(pod, each));
    const container = containerOf(pod, containers[0]);
    // A kubelet repeats a Job that fails, as while the stores have no users yet.
    if (pod.kind === 'Job') await repeated(() => machine.run(container), pod.spec.backoffLimit);
    else await machine.start(container);
  };
  const stop = () => machine[Symbol.asyncDispose]();
  try {
    await Promise.all(pods.filter(({ kind }) => kind === 'StatefulSet').map(bring));
    const [first, others] = [
      pods.filter(({ metadata }) => /^mongodb-/.test(metadata.name)),
      pods.filter(({ kind }) => kind !== 'StatefulSet'),
    ];
    for (const job of first) await bring(job);
    await Promise.all(others.filter((pod) => !first.includes(pod)).map(bring));
  } catch (error) {
    await stop();
    throw error;
  }
  const { OPERATOR_SIGNING_KEY = '' } = dataOf('Secret', 'webkiln-operator');
  return {
    // As `kubectl run` of NOTES.txt does it.
    operator: (...args) =>
      machine.run({ name: 'operator', image: cli, args, env: { OPERATOR_SIGNING_KEY, IDENTITY_ADDRESS: 'identity:9000' }, mounts: {} }),
    origin: 'http://localhost:8080',
    address: machine.addressOf('gateway'),
    stop,
  };
}

async function repeated(work: () => Promise<unknown>, times: number): Promise<void> {
  for (let left = times; ; left -= 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
