{{- define "webkiln.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "webkiln.metadata" . | nindent 2 }}
spec:
  {{- if not .values.autoscaling.enabled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "webkiln.selector" . | nindent 6 }}
      app.kubernetes.io/component: process
  template:
    metadata:
      labels:
        {{- with .values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- include "webkiln.labels" . | nindent 8 }}
        app.kubernetes.io/component: process
      annotations:
        {{- /* A changed setting starts new pods; a changed Secret does not: restart the Deployment after it. */}}
        checksum/settings: {{ .global.settings | toJson | sha256sum }}
        {{- with .values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "webkiln.podSettings" . | nindent 6 }}
      # Longer than preStop and the 10 s within which a process drains.
      terminationGracePeriodSeconds: 30
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "webkiln.selector" $ | nindent 14 }}
              app.kubernetes.io/component: process
        {{- end }}
      containers:
        - name: {{ .process.name }}
          {{- include "webkiln.containerSettings" . | nindent 10 }}
          ports:
            {{- range $name, $port := .process.ports }}
            - name: {{ $name }}
              containerPort: {{ $port }}
            {{- end }}
          startupProbe:
            httpGet: { path: /healthz, port: internal }
            periodSeconds: 1
            timeoutSeconds: 3
            failureThreshold: 120
          livenessProbe:
            httpGet: { path: /healthz, port: internal }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          readinessProbe:
            httpGet: { path: /readyz, port: internal }
            periodSeconds: 5
            timeoutSeconds: 3
            failureThreshold: 2
          lifecycle:
            preStop:
              # SIGTERM drains at once: first, endpoints and callers must have had time to forget this pod.
              sleep: { seconds: 6 }
      volumes:
        {{- include "webkiln.volumes" . | trim | nindent 8 }}
{{- end -}}

{{/*
Makes indexes and migrates documents. Not a hook: on a first install the stores come in the same release. Services stay
unready until it is done, and with maxUnavailable 0 the release before serves meanwhile. The name changes with the image,
settings and labels, because the pod of a Job cannot be changed; the same upgrade twice runs nothing again.
*/}}
{{- define "webkiln.migration" -}}
{{- if and .process.migrates .values.migration.enabled }}
{{- $container := include "webkiln.containerSettings" . }}
{{- $volumes := include "webkiln.volumes" . | trim }}
{{- $revision := print (include "webkiln.labels" .) $container $volumes (include "webkiln.podSettings" .) (.global.settings | toJson) | sha256sum | trunc 8 }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .process.name }}-migrate-{{ $revision }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "webkiln.labels" . | nindent 4 }}
spec:
  backoffLimit: 20
  template:
    metadata:
      labels:
        {{- include "webkiln.labels" . | nindent 8 }}
        app.kubernetes.io/component: migration
    spec:
      {{- include "webkiln.podSettings" . | nindent 6 }}
      restartPolicy: OnFailure
      containers:
        - name: migrate
          args: [migrate]
          {{- $container | nindent 10 }}
      volumes:
        {{- $volumes | nindent 8 }}
{{- end }}
{{- end -}}

{{/* What the pods of a process and of its migration have in common. */}}
{{- define "webkiln.podSettings" -}}
serviceAccountName: {{ .process.name }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with concat .global.image.pullSecrets .values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- include "webkiln.podSecurity" . | nindent 2 }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "webkiln.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "webkiln.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "webkiln.containerSettings" -}}
image: {{ include "webkiln.image" . | quote }}
imagePullPolicy: {{ .values.image.pullPolicy | default .global.image.pullPolicy }}
securityContext:
  {{- include "webkiln.containerSecurity" . | nindent 2 }}
envFrom:
  - configMapRef:
      name: webkiln-settings
  - secretRef:
      name: {{ .values.secretName | default (printf "webkiln-%s" .process.name) }}
env:
  {{- $own := dict "BIND_ADDRESS" .values.bindAddress }}
  {{- if and .process.migrates .values.migration.enabled }}
  {{- $own = set $own "MIGRATE_AT_START" "false" }}
  {{- end }}
  {{- if .global.tls.enabled }}
  {{- $own = merge $own (dict "TLS_CERT_FILE" "/run/tls/tls.crt" "TLS_KEY_FILE" "/run/tls/tls.key" "TLS_CA_FILE" "/run/tls/ca.crt") }}
  {{- end }}
  {{- range $name, $value := merge $own .process.env (.values.env | default dict) }}
  - name: {{ $name }}
    value: {{ include "webkiln.text" $value | quote }}
  {{- end }}
  {{- with include "webkiln.extraCaEnv" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
volumeMounts:
  {{- range $name, $path := .process.folders }}
  - name: {{ $name }}
    mountPath: {{ $path }}
  {{- end }}
  {{- if .global.tls.enabled }}
  - { name: tls, mountPath: /run/tls, readOnly: true }
  {{- end }}
  {{- with include "webkiln.extraCaMount" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Volumes on the node's disk: in memory, large uploads would count against the limit of the container. */}}
{{- define "webkiln.volumes" -}}
{{- range $name, $path := .process.folders }}
- name: {{ $name }}
  emptyDir:
    sizeLimit: {{ get $.values.folderSizes $name }}
{{- end }}
{{- if .global.tls.enabled }}
- name: tls
  secret: { secretName: {{ include "webkiln.tlsSecret" . }} }
{{- end }}
{{- with include "webkiln.extraCaVolume" . | trim }}
{{ . }}
{{- end }}
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
