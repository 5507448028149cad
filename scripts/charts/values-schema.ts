import { processNames } from './process-facts.ts';
import type { KnownProcess } from './process-settings.ts';
import { chartValues } from './values-table.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Unknown keys are refused: a typing error in a value must not be ignored. */
const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length > 0 && { required }),
});
const ref = (definition: string): Schema => ({ $ref: `#/definitions/${definition}` });
const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
/** Something that Kubernetes itself defines. */
const free: Schema = { type: 'object' };
const freeList: Schema = { type: 'array', items: free };
const texts: Schema = { type: 'array', items: text };
const whole = (minimum: number, maximum = 10_000): Schema => ({ type: 'integer', minimum, maximum });
const pullPolicy: Schema = { enum: ['', 'Always', 'IfNotPresent', 'Never'] };
/** Where pods of a kind may run. */
const placement = { nodeSelector: free, affinity: free, tolerations: freeList };

const quantities = object({ cpu: { type: ['string', 'number'] }, memory: ref('quantity'), 'ephemeral-storage': ref('quantity') });
/** What several places of the schema have in common. */
const definitions: Readonly<Record<string, Schema>> = {
  setting: { type: ['string', 'number', 'boolean'] },
  quantity: { type: 'string', pattern: '^[0-9.]+(m|[EPTGMk]i?)?$' },
  ports: { type: 'array', items: whole(1, 65_535), minItems: 1 },
  tag: { type: 'string', pattern: '^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$', not: { const: 'latest' } },
  quantities,
  resources: object({ requests: ref('quantities'), limits: ref('quantities') }),
  /** A whole container's: without a limit of memory it is refused. */
  wholeResources: object({ requests: ref('quantities'), limits: { ...quantities, required: ['memory'] } }, ['requests', 'limits']),
  image: object({
    registry: text,
    repository: { type: 'string', minLength: 1 },
    tag: ref('tag'),
    digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
    pullPolicy,
    pullSecrets: texts,
  }),
  /** An issuer of cert-manager; without a name, certificates come from elsewhere. */
  issuer: object({ name: text, kind: { enum: ['Issuer', 'ClusterIssuer'] } }),
  labelled: object({ enabled: flag, labels: free }),
  podDisruptionBudget: object({ enabled: flag, maxUnavailable: { type: ['integer', 'string'] } }),
};

/** The schema of the chart's values. */
export function valuesSchema(known: readonly KnownProcess[]): Schema {
  const settings = known.flatMap((process) => process.settings).filter(({ setBy }) => setBy === 'values');
  const described = settings.map(({ name, description }) => [name, { ...ref('setting'), description }] as const);
  const meanings = new Map(chartValues().map(({ path, meaning }) => [path, meaning]));
  const values = object(
    {
      ...Object.fromEntries(known.map((process) => [process.facts.name, processSchema(process)])),
      defaults: object({ ...valuesOfAny, resources: ref('wholeResources') }, ['resources']),
      only: { enum: ['', ...processNames] },
      stores: storesSchema(),
      ingress: object({ enabled: flag, className: text, annotations: free, tls: flag, customDomains: flag }),
      gatewayApi: object({ enabled: flag, parentRefs: freeList, customDomains: flag }),
      certificates: object({ enabled: flag, issuer: ref('issuer') }),
      ...{ backup: backupSchema(), alerts: alertsSchema(), dashboard: ref('labelled') },
      global: globalSchema(object(Object.fromEntries(described))),
    },
    ['global'],
  );
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...withMeanings(values, meanings),
    // A release of one process reads the settings of the other release.
    if: { properties: { only: { const: '' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { global: { properties: { settings: { required: ['ORIGIN', 'SITES_ORIGIN', 'PREVIEW_ORIGIN'] } } } } },
    definitions,
  };
}

/** A schema whose parts say what the comments of values.yaml do. */
function withMeanings(schema: Schema, meanings: ReadonlyMap<string, string>, path: readonly string[] = []): Schema {
  const { properties } = schema as { properties?: Readonly<Record<string, Schema>> };
  const description = meanings.get(path.join('.'));
  const described = properties && Object.entries(properties).map(([name, child]) => [name, withMeanings(child, meanings, [...path, name])]);
  return {
    ...schema,
    ...(path.length > 0 && !('description' in schema) && description && { description }),
    ...(described && { properties: Object.fromEntries(described) }),
  };
}

const scaling = { enabled: flag, minReplicas: whole(1), maxReplicas: whole(1), targetCpuPercent: whole(1, 1000) };
const lag = object({ enabled: flag, targetSeconds: whole(1) });
const serviceType: Schema = { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] };

/** The values that processes may have in common: those of `defaults`. */
const valuesOfAny = {
  replicas: whole(0),
  image: ref('image'),
  ...{ extraEnv: freeList, extraVolumes: freeList, extraVolumeMounts: freeList },
  bindAddress: { enum: ['0.0.0.0', '::'] },
  resources: ref('resources'),
  folderSizes: object({ tmp: ref('quantity'), uploads: ref('quantity') }),
  autoscaling: object({ ...scaling, lag }),
  podDisruptionBudget: ref('podDisruptionBudget'),
  migration: object({ enabled: flag }),
  service: object({ type: serviceType, annotations: free }),
  networkPolicy: object({ publicFrom: freeList, internetPorts: ref('ports'), extraIngress: freeList, extraEgress: freeList }),
  ...{ podLabels: free, podAnnotations: free, ...placement },
};

/** The values of one process: without those that have no meaning for it, and with its settings by name. */
function processSchema({ facts, settings }: KnownProcess): Schema {
  const isPublic = 'public' in facts.ports;
  const { migration, ...others } = valuesOfAny;
  return object({
    ...{ enabled: flag, secretName: text, tls: object({ secretName: text }) },
    env: object(Object.fromEntries(settings.filter(({ setBy }) => setBy === 'values').map(({ name }) => [name, ref('setting')]))),
    ...others,
    folderSizes: object(Object.fromEntries(Object.keys(facts.folders).map((folder) => [folder, ref('quantity')]))),
    autoscaling: object({ ...scaling, ...('lag' in facts && { lag }) }),
    ...(facts.migrates && { migration }),
    service: object({ ...(isPublic && { type: serviceType }), annotations: free }),
    networkPolicy: object({
      ...(isPublic && { publicFrom: freeList }),
      ...((facts.egress as readonly string[]).includes('internet') && { internetPorts: ref('ports') }),
      ...{ extraIngress: freeList, extraEgress: freeList },
    }),
  });
}

function globalSchema(settings: Schema): Schema {
  const store = object({ ports: ref('ports'), to: freeList });
  const given = { type: 'string', minLength: 1 };
  return object({
    image: object({ registry: text, tag: ref('tag'), pullPolicy, pullSecrets: texts }),
    settings,
    networkPolicy: object({
      enabled: flag,
      stores: object({ mongodb: store, nats: store, redis: store }),
      mail: store,
      extraEgress: freeList,
    }),
    externalSecrets: object({
      enabled: flag,
      store: object({ name: text, kind: { enum: ['SecretStore', 'ClusterSecretStore'] } }),
      ...{ path: text, refreshInterval: text },
    }),
    tls: object({ enabled: flag, issuer: ref('issuer') }),
    extraCa: {
      ...object({ configMap: text, secretName: text }),
      not: { properties: { configMap: given, secretName: given }, required: ['configMap', 'secretName'] },
    },
    monitoring: object({ enabled: flag, interval: text, labels: free, from: freeList }),
  });
}

/** `schedule` is a cron expression of five fields in UTC. */
const backupSchema = (): Schema =>
  object({
    enabled: flag,
    schedule: { type: 'string', pattern: '^(\\S+ ){4}\\S+$' },
    ...{ keep: whole(1), deadlineSeconds: whole(60, 86_400), maxAgeHours: whole(1) },
    persistence: object({ existingClaim: text, storageClass: text, size: ref('quantity') }),
    ...{ secretName: text, image: ref('image'), resources: ref('wholeResources'), ...placement },
    repository: object({ url: text, secretName: text, image: text, to: freeList, ports: ref('ports') }),
  });

const alertsSchema = (): Schema => {
  const share: Schema = { type: 'number', minimum: 0, exclusiveMaximum: 1 };
  const count: Schema = { type: 'number', minimum: 0 };
  const counts = ['latencySeconds', 'restarts', 'certificateDays', 'deadLetters', 'eventsWaitSeconds', 'viewsWaitSeconds'];
  const thresholds = object({
    ...{ availability: share, volumeFree: share, streamUsed: share },
    ...Object.fromEntries([...counts, 'passwordsWaiting', 'refusedPerMinute'].map((name) => [name, count])),
  });
  return object({ enabled: flag, labels: free, without: texts, runbooks: text, thresholds });
};

function storesSchema(): Schema {
  const ofStore = { image: text, storage: text, resources: ref('wholeResources') };
  const store = (more: Readonly<Record<string, Schema>>) => object({ ...ofStore, ...more }, Object.keys(ofStore));
  return object({
    enabled: flag,
    ...{ mongodb: store({ users: flag }), nats: store({ users: flag }), redis: store({ password: flag }) },
    persistence: object({ enabled: flag, storageClass: text }),
    image: ref('image'),
  });
}
