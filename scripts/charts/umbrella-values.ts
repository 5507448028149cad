import { processNames } from './process-facts.ts';
import { globalValues } from './process-values.ts';

/** The text of the umbrella's values.yaml. */
export const umbrellaValues = () => `# Made by npm run generate.
# Each process can be left out here and be installed by a release of its own. Its values are those of its chart.
${processNames.map((name) => `${name}: { enabled: true }\n`).join('')}# One small server each of MongoDB, NATS and Redis, for trying out
stores: { enabled: false }
# Hosts come from ORIGIN, SITES_ORIGIN and PREVIEW_ORIGIN. All go to the gateway.
ingress:
  enabled: false
  className: ''
  annotations: {}
  # Secrets webkiln-origin-tls, webkiln-sites-tls and webkiln-preview-tls, such as \`certificates\` makes
  tls: true
  # A rule without a host, for the domains of customers; their certificates are the ingress controller's affair
  customDomains: false
# The same as HTTPRoutes
gatewayApi:
  enabled: false
  # The Gateways to attach to: name, namespace, sectionName
  parentRefs: []
  customDomains: false
# Certificates of cert-manager; those of the wildcards need a DNS01 solver
certificates:
  enabled: false
  issuer: { name: '', kind: ClusterIssuer }
# A CronJob that writes a backup each night: docs/backup.md. A manual run: kubectl create job --from=cronjob/webkiln-backup NAME
backup:
  enabled: false
  # In UTC
  schedule: 17 2 * * *
  # How many complete backups stay; an older one is removed once the next is complete, so the volume holds one more
  keep: 7
  # When an attempt and its repetitions must have ended
  deadlineSeconds: 7200
  # The alarm: no backup for so long
  maxAgeHours: 26
  # A claim of yours, or else webkiln-backup, which \`helm uninstall\` leaves
  persistence: { existingClaim: '', storageClass: '', size: 20Gi }
  # The Secret with MONGODB_URL and NATS_URL; by default webkiln-backup (webkiln secrets create)
  secretName: ''
  image: { registry: '', repository: webkiln/cli, tag: '', digest: '', pullPolicy: '', pullSecrets: [] }
  resources:
    requests: { cpu: 100m, memory: 192Mi }
    limits: { memory: 512Mi }
  nodeSelector: {}
  tolerations: []
  affinity: {}
# A PrometheusRule with the alarms of docs/operations.md
alerts: { enabled: false, labels: {} }
# A ConfigMap with a dashboard, as Grafana's sidecar loads it
dashboard: { enabled: false, labels: { grafana_dashboard: '1' } }
${globalValues}`;
