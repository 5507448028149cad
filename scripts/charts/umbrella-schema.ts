import { processNames } from './process-facts.ts';
import type { ProcessSetting } from './process-settings.ts';
import { flag, free, freeList, globalSchema, image, object, resources, text } from './values-schema.ts';

const draft = { $schema: 'http://json-schema.org/draft-07/schema#' };
const ownSchema = { type: 'object', description: 'see the schema of that chart' };

/** The schema of the umbrella's values: its own, and the settings without which nothing starts. */
export const umbrellaSchema = (all: readonly ProcessSetting[]) => ({
  ...draft,
  ...object(
    {
      ...Object.fromEntries([...processNames, 'stores'].map((name) => [name, ownSchema])),
      ingress: object({ enabled: flag, className: text, annotations: free, tls: flag, customDomains: flag }),
      gatewayApi: object({ enabled: flag, parentRefs: freeList, customDomains: flag }),
      certificates: object({ enabled: flag, issuer: object({ name: text, kind: { enum: ['Issuer', 'ClusterIssuer'] } }) }),
      alerts: object({ enabled: flag, labels: free }),
      dashboard: object({ enabled: flag, labels: free }),
      global: globalSchema(all, ['ORIGIN', 'SITES_ORIGIN', 'PREVIEW_ORIGIN']),
    },
    ['global'],
  ),
});

/** The schema of the values of the chart of stores. */
export function storesSchema(all: readonly ProcessSetting[]) {
  const store = object({ image: text, storage: text, resources }, ['image', 'storage', 'resources']);
  const persistence = object({ enabled: flag, storageClass: text });
  return {
    ...draft,
    ...object({
      enabled: flag,
      ...{ mongodb: store, nats: store, redis: store, persistence, image },
      global: globalSchema(all),
      'webkiln-library': free,
    }),
  };
}
