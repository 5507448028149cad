import type { KubernetesObject } from './charts.ts';

// biome-ignore lint/suspicious/noExplicitAny: a pod template, of which the checks read parts
type Part = any;

export interface Workload {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: Part;
  /** A server, which is probed; a Job is not. */
  readonly isServer: boolean;
}

/** Every pod that the objects start. */
export const workloads = (objects: readonly KubernetesObject[]): Workload[] =>
  objects.flatMap(({ kind, metadata, spec }) => {
    const template = kind === 'CronJob' ? spec.jobTemplate.spec.template : spec?.template;
    if (!['Deployment', 'StatefulSet', 'Job', 'CronJob'].includes(kind)) return [];
    const name = `${kind} ${metadata.name}`;
    return [{ name, labels: template.metadata.labels, pod: template.spec, isServer: ['Deployment', 'StatefulSet'].includes(kind) }];
  });

/** What a pod lacks: of the Pod Security Standard "restricted", and of what a workload in production must have. */
export function podProblems({ name, pod, isServer }: Workload): string[] {
  const rules: [problem: string, holds: boolean][] = [
    ['may run as root', pod.securityContext?.runAsNonRoot === true && pod.securityContext.runAsUser > 0],
    ['has no seccomp profile', pod.securityContext?.seccompProfile?.type === 'RuntimeDefault'],
    ["shares the node's namespaces", !pod.hostNetwork && !pod.hostPID && !pod.hostIPC],
    ['has a token of the cluster', pod.automountServiceAccountToken === false],
    ['has a volume of the node', (pod.volumes ?? []).every((volume: Part) => volume.hostPath === undefined)],
    ['has a volume without a bound', (pod.volumes ?? []).every(({ emptyDir }: Part) => emptyDir === undefined || emptyDir.sizeLimit)],
  ];
  const containers: Part[] = [...pod.containers, ...(pod.initContainers ?? [])];
  const found = containers.flatMap((container) => containerProblems(container, isServer));
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
export const selects = (selector: Readonly<Record<string, string>> | undefined, labels: Readonly<Record<string, string>>) =>
  Object.entries(selector ?? {}).every(([label, value]) => labels[label] === value);
