import { processNames } from './process-facts.ts';
import type { ProcessSetting } from './process-settings.ts';
import { flag, free, freeList, globalSchema, image, issuer, object, placement, quantity, resources, text, whole } from './values-schema.ts';

const draft = { $schema: 'http://json-schema.org/draft-07/schema#' };
const ownSchema = { type: 'object', description: 'see the schema of that chart' };

/** `schedule` is a cron expression of five fields in UTC. */
const backupSchema = object({
  enabled: flag,
  schedule: { type: 'string', pattern: '^(\\S+ ){4}\\S+$' },
  keep: whole(1),
  ...{ deadlineSeconds: whole(60, 86_400), maxAgeHours: whole(1) },
  persistence: object({ existingClaim: text, storageClass: text, size: quantity }),
  ...{ secretName: text, image, resources, ...placement },
});

/** The schema of the umbrella's values: its own, and the settings without which nothing starts. */
export const umbrellaSchema = (all: readonly ProcessSetting[]) => ({
  ...draft,
  ...object(
    {
      ...Object.fromEntries([...processNames, 'stores'].map((name) => [name, ownSchema])),
      ingress: object({ enabled: flag, className: text, annotations: free, tls: flag, customDomains: flag }),
      gatewayApi: object({ enabled: flag, parentRefs: freeList, customDomains: flag }),
      certificates: object({ enabled: flag, issuer }),
      backup: backupSchema,
      alerts: object({ enabled: flag, labels: free }),
      dashboard: object({ enabled: flag, labels: free }),
      global: globalSchema(all, ['ORIGIN', 'SITES_ORIGIN', 'PREVIEW_ORIGIN']),
    },
    ['global'],
  ),
});

/** The schema of the values of the chart of stores. */
export function storesSchema(all: readonly ProcessSetting[]) {
  const ofStore = { image: text, storage: text, resources };
  const store = object(ofStore, Object.keys(ofStore));
  const natsStore = object({ ...ofStore, users: flag }, Object.keys(ofStore));
  const persistence = object({ enabled: flag, storageClass: text });
  return {
    ...draft,
    ...object({
      enabled: flag,
      ...{ mongodb: store, nats: natsStore, redis: store, persistence, image },
      global: globalSchema(all),
      'webkiln-library': free,
    }),
  };
}
