import type { ProcessFacts } from './process-facts.ts';

interface Size {
  readonly cpu: string;
  readonly memory: string;
  readonly maxMemory: string;
}

/** What a process needs at rest and may have; docs/operations.md says which need more, and why. */
const sizes: Readonly<Record<string, Size>> = {
  gateway: { cpu: '250m', memory: '256Mi', maxMemory: '768Mi' },
  'projects-templates': { cpu: '100m', memory: '192Mi', maxMemory: '768Mi' },
  sites: { cpu: '100m', memory: '256Mi', maxMemory: '768Mi' },
  analytics: { cpu: '100m', memory: '192Mi', maxMemory: '1Gi' },
};
const usualSize: Size = { cpu: '100m', memory: '128Mi', maxMemory: '512Mi' };

/** Shared by all process charts of an installation; the umbrella chart passes its own on. */
export const globalValues = `global:
  image:
    # Put before each repository, as in registry.example.com/webkiln
    registry: ''
    # The tag of every image; by default the version of the chart
    tag: ''
    pullPolicy: IfNotPresent
    # Names of Secrets with the credentials of the registry
    pullSecrets: []
  # The settings of the ConfigMap webkiln-settings, for all processes: docs/operations.md. A change starts new pods.
  settings: {}
  networkPolicy:
    enabled: true
    # Where the stores may be: every address by default, narrowed by a list of NetworkPolicy peers
    stores:
      mongodb: { ports: [27017], to: [] }
      nats: { ports: [4222], to: [] }
      redis: { ports: [6379], to: [] }
    mail: { ports: [25, 465, 587], to: [] }
    # Further egress rules of every process, such as the one to a trace collector
    extraEgress: []
  # Each process's Secret from an external store, by the External Secrets operator
  externalSecrets:
    enabled: false
    store: { name: '', kind: ClusterSecretStore }
    # Before the process's name, as in webkiln/identity
    path: webkiln
    refreshInterval: 1h
  # Mutual TLS between processes, for all or for none: docs/transport-security.md. Each mounts the Secret webkiln-<process>-tls
  # with tls.crt, tls.key and ca.crt. With an issuer, cert-manager makes them: an authority for Webkiln alone.
  tls:
    enabled: false
    issuer: { name: '', kind: Issuer }
  # An authority besides Node's own for TLS to stores and the mail server: the key ca.crt of a ConfigMap or a Secret
  extraCa: { configMap: '', secretName: '' }
  monitoring:
    # ServiceMonitors and a PodMonitor of the Prometheus operator, whose CRDs must exist
    enabled: false
    interval: 30s
    labels: {}
    # NetworkPolicy peers that may read /metrics
    from: []
`;

/** The text of a process chart's values.yaml. */
export function processValues({ name, ports, lag, migrates, egress, folders }: ProcessFacts): string {
  const { cpu, memory, maxMemory } = sizes[name] ?? usualSize;
  const isPublic = 'public' in ports;
  return `# Made by npm run generate. A release of its own: \`helm install ${name} deploy/charts/${name}\`.
replicas: 2
image:
  registry: ''
  repository: webkiln/${name}
  tag: ''
  # sha256:… fixes the image, whatever its tag
  digest: ''
  pullPolicy: ''
  pullSecrets: []
# The Secret with this process's secrets; by default webkiln-${name} (webkiln secrets create)
secretName: ''
# With global.tls: the Secret with its certificate; by default webkiln-${name}-tls
tls: { secretName: '' }
# Settings of this process alone, by name
env: {}
# Entries of a container's env, such as those with valueFrom
extraEnv: []
extraVolumes: []
extraVolumeMounts: []
# '::' in a cluster with IPv6
bindAddress: 0.0.0.0
resources:
  requests: { cpu: ${cpu}, memory: ${memory} }
  # No limit of CPU: a process that is throttled is slow at the worst time
  limits: { memory: ${maxMemory} }
# Writable folders, on the node's disk
folderSizes: { ${Object.keys(folders)
    .map((folder) => `${folder}: ${folder === 'uploads' ? '1280Mi' : '256Mi'}`)
    .join(', ')} }
autoscaling:
  enabled: false
  minReplicas: 2
  maxReplicas: 10
  targetCpuPercent: 70
${
  lag === undefined
    ? ''
    : `  # Also by ${lag.metric}, as an external metric: needs a metrics adapter
  lag: { enabled: false, targetSeconds: 30 }
`
}podDisruptionBudget: { enabled: true, maxUnavailable: 1 }
${migrates ? '# A Job that makes indexes and migrates documents when the image or a setting changes\nmigration: { enabled: true }\n' : ''}service: { ${isPublic ? 'type: ClusterIP, ' : ''}annotations: {} }
networkPolicy:
${isPublic ? '  # Who may call the public port, as NetworkPolicy peers; by default everyone\n  publicFrom: []\n' : ''}${(egress as readonly string[]).includes('internet') ? `  internetPorts: [443, 8443]\n` : ''}  extraIngress: []
  extraEgress: []
podLabels: {}
podAnnotations: {}
nodeSelector: {}
tolerations: []
affinity: {}
${globalValues}`;
}
