import type { ProcessFacts } from './process-facts.ts';
import type { ProcessSetting } from './process-settings.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Unknown keys are refused: a typing error in a value must not be ignored. */
export const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length > 0 && { required }),
});
export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
/** Something that Kubernetes itself defines. */
export const free: Schema = { type: 'object' };
export const freeList: Schema = { type: 'array', items: free };
const texts: Schema = { type: 'array', items: text };
export const whole = (minimum: number, maximum = 10_000): Schema => ({ type: 'integer', minimum, maximum });
const ports: Schema = { type: 'array', items: whole(1, 65_535), minItems: 1 };
const pullPolicy: Schema = { enum: ['', 'Always', 'IfNotPresent', 'Never'] };
const tag: Schema = { type: 'string', pattern: '^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$', not: { const: 'latest' } };
export const quantity: Schema = { type: 'string', pattern: '^[0-9.]+(m|[EPTGMk]i?)?$' };
const quantities = object({ cpu: { type: ['string', 'number'] }, memory: quantity, 'ephemeral-storage': quantity });
export const resources = object({ requests: quantities, limits: { ...quantities, required: ['memory'] } }, ['requests', 'limits']);
export const image = object(
  {
    registry: text,
    repository: { type: 'string', minLength: 1 },
    tag,
    digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
    pullPolicy,
    pullSecrets: texts,
  },
  ['repository'],
);

const atMostOne = (one: string, other: string): Schema => {
  const given = { type: 'string', minLength: 1 };
  return { not: { properties: { [one]: given, [other]: given }, required: [one, other] } };
};

/** Settings by name, with the words of the process's own schema. */
const settings = (list: readonly ProcessSetting[]): Schema => {
  const value = (description: string | undefined) => ({ type: ['string', 'number', 'boolean'], ...(description && { description }) });
  const own = list.filter(({ setBy }) => setBy === 'values');
  return object(Object.fromEntries(own.map(({ name, description }) => [name, value(description)])));
};

/** An issuer of cert-manager; without a name, certificates come from elsewhere. */
export const issuer = object({ name: text, kind: { enum: ['Issuer', 'ClusterIssuer'] } });
/** Where pods of a kind may run. */
export const placement = { ...Object.fromEntries(['nodeSelector', 'affinity'].map((key) => [key, free])), tolerations: freeList };

/** `required`: those without which no process of the installation starts. */
export function globalSchema(all: readonly ProcessSetting[], required: readonly string[] = []): Schema {
  const store = object({ ports, to: freeList });
  return object({
    image: object({ registry: text, tag, pullPolicy, pullSecrets: texts }),
    settings: { ...settings(all), ...(required.length > 0 && { required }) },
    networkPolicy: object({
      enabled: flag,
      stores: object({ mongodb: store, nats: store, redis: store }),
      mail: store,
      extraEgress: freeList,
    }),
    externalSecrets: object({
      enabled: flag,
      store: object({ name: text, kind: { enum: ['SecretStore', 'ClusterSecretStore'] } }),
      path: text,
      refreshInterval: text,
    }),
    tls: object({ enabled: flag, issuer }),
    extraCa: { ...object({ configMap: text, secretName: text }), ...atMostOne('configMap', 'secretName') },
    monitoring: object({ enabled: flag, interval: text, labels: free, from: freeList }),
  });
}

/** The schema of a process chart's values. */
export function processSchema(facts: ProcessFacts, own: readonly ProcessSetting[], all: readonly ProcessSetting[]): Schema {
  const isPublic = 'public' in facts.ports;
  const scaling = {
    enabled: flag,
    minReplicas: whole(1),
    maxReplicas: whole(1),
    targetCpuPercent: whole(1, 1000),
    ...('lag' in facts && { lag: object({ enabled: flag, targetSeconds: whole(1) }) }),
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...object({
      enabled: flag,
      replicas: whole(0),
      image,
      secretName: text,
      tls: object({ secretName: text }),
      env: settings(own),
      extraEnv: freeList,
      extraVolumes: freeList,
      extraVolumeMounts: freeList,
      bindAddress: { enum: ['0.0.0.0', '::'] },
      resources,
      folderSizes: object(Object.fromEntries(Object.keys(facts.folders).map((folder) => [folder, quantity]))),
      autoscaling: object(scaling),
      podDisruptionBudget: object({ enabled: flag, maxUnavailable: { type: ['integer', 'string'] } }),
      ...(facts.migrates && { migration: object({ enabled: flag }) }),
      service: object({ ...(isPublic && { type: { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] } }), annotations: free }),
      networkPolicy: object({
        ...(isPublic && { publicFrom: freeList }),
        ...((facts.egress as readonly string[]).includes('internet') && { internetPorts: ports }),
        extraIngress: freeList,
        extraEgress: freeList,
      }),
      ...{ podLabels: free, podAnnotations: free, ...placement },
      global: globalSchema(all),
      'webkiln-library': free,
    }),
  };
}
