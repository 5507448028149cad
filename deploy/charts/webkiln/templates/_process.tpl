{{/* All objects of one process. */}}
{{- define "webkiln.process" -}}
{{- range $template := list "serviceAccount" "deployment" "services" "migration" "disruption" "autoscaling" "networkPolicy" "serviceMonitor" "externalSecret" "certificate" }}
{{- with include (printf "webkiln.%s" $template) $ | trim }}
---
{{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "webkiln.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "webkiln.metadata" . | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}

{{/*
Callers resolve a headless service to all its pods and pick the least busy one. Pods that are not ready are left out.
Only the gateway has a cluster address, which an Ingress or a load balancer calls.
*/}}
{{- define "webkiln.services" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "webkiln.metadata" . | nindent 2 }}
  {{- with .values.service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if hasKey .process.ports "public" }}
  type: {{ .values.service.type }}
  {{- else }}
  clusterIP: None
  {{- end }}
  selector:
    {{- include "webkiln.selector" . | nindent 4 }}
    app.kubernetes.io/component: process
  ports:
    {{- range $name, $port := .process.ports }}
    {{- if eq $name "public" }}
    - name: http
      port: 80
      targetPort: public
      appProtocol: http
    {{- else if ne $name "internal" }}
    - name: {{ $name }}
      port: {{ $port }}
      targetPort: {{ $name }}
      appProtocol: {{ $name }}
    {{- else if not (hasKey $.process.ports "public") }}
    {{- include "webkiln.internalPort" $ | nindent 4 }}
    {{- end }}
    {{- end }}
{{- if hasKey .process.ports "public" }}
---
# Health checks and metrics of each pod, never beside the port that visitors reach.
apiVersion: v1
kind: Service
metadata:
  name: {{ .process.name }}-internal
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "webkiln.labels" . | nindent 4 }}
spec:
  clusterIP: None
  # A pod that is not ready says why.
  publishNotReadyAddresses: true
  selector:
    {{- include "webkiln.selector" . | nindent 4 }}
    app.kubernetes.io/component: process
  ports:
    {{- include "webkiln.internalPort" . | nindent 4 }}
{{- end }}
{{- end -}}

{{- define "webkiln.internalPort" -}}
- name: internal
  port: {{ .process.ports.internal }}
  targetPort: internal
  appProtocol: http
{{- end -}}

{{- define "webkiln.disruption" -}}
{{- $replicas := ternary .values.autoscaling.minReplicas .values.replicas .values.autoscaling.enabled | int -}}
{{- if and .values.podDisruptionBudget.enabled (gt $replicas 1) }}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "webkiln.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ .values.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "webkiln.selector" . | nindent 6 }}
      app.kubernetes.io/component: process
{{- end }}
{{- end -}}

{{/* By CPU, and for a process that works off a stream also by how far it is behind, which needs a metrics adapter. */}}
{{- define "webkiln.autoscaling" -}}
{{- if .values.autoscaling.enabled }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "webkiln.metadata" . | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ .process.name }}
  minReplicas: {{ .values.autoscaling.minReplicas }}
  maxReplicas: {{ .values.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .values.autoscaling.targetCpuPercent }}
    {{- if and .process.lag .values.autoscaling.lag.enabled }}
    - type: External
      external:
        metric:
          name: {{ .process.lag.metric }}
          {{- with .process.lag.labels }}
          selector:
            matchLabels:
              {{- toYaml . | nindent 14 }}
          {{- end }}
        target:
          type: Value
          value: {{ .values.autoscaling.lag.targetSeconds | quote }}
    {{- end }}
  behavior:
    scaleDown:
      stabilizationWindowSeconds: 300
{{- end }}
{{- end -}}

{{- define "webkiln.serviceMonitor" -}}
{{- if .global.monitoring.enabled }}
apiVersion: monitoring.coreos.com/v1
kind: {{ ternary "PodMonitor" "ServiceMonitor" (hasKey .process.ports "public") }}
metadata:
  {{- include "webkiln.metadata" . | nindent 2 }}
    {{- with .global.monitoring.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  selector:
    matchLabels:
      {{- include "webkiln.selector" . | nindent 6 }}
  {{ ternary "podMetricsEndpoints" "endpoints" (hasKey .process.ports "public") }}:
    - port: internal
      path: /metrics
      interval: {{ .global.monitoring.interval }}
{{- end }}
{{- end -}}

{{- define "webkiln.externalSecret" -}}
{{- with .global.externalSecrets }}
{{- if .enabled }}
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  {{- include "webkiln.metadata" $ | nindent 2 }}
spec:
  refreshInterval: {{ .refreshInterval }}
  secretStoreRef:
    name: {{ required "global.externalSecrets.store.name is the SecretStore to read" .store.name }}
    kind: {{ .store.kind }}
  target:
    name: {{ $.values.secretName | default (printf "webkiln-%s" $.process.name) }}
  dataFrom:
    - extract:
        key: {{ .path }}/{{ $.process.name }}
{{- end }}
{{- end }}
{{- end -}}
