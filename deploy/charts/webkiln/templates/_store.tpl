{{- define "stores.labels" -}}
app.kubernetes.io/name: {{ .store }}
app.kubernetes.io/part-of: webkiln
{{- end -}}

{{- define "stores.metadata" -}}
name: {{ .store }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "stores.labels" . | nindent 2 }}
  app.kubernetes.io/instance: {{ .root.Release.Name }}
  app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{/* root, args; optional secret, the name of its environment: the command line in a container. */}}
{{- define "stores.commandLine" -}}
{{- $values := .root.Values -}}
image: {{ include "webkiln.image" (dict "root" .root "values" $values.stores "global" $values.global) | quote }}
imagePullPolicy: {{ $values.stores.image.pullPolicy | default $values.global.image.pullPolicy }}
args:
  {{- toYaml .args | nindent 2 }}
securityContext:
  {{- include "webkiln.containerSecurity" .root | nindent 2 }}
{{- with .secret }}
envFrom:
  - secretRef: { name: {{ . }} }
{{- end }}
resources:
  requests: { cpu: 50m, memory: 96Mi }
  limits: { memory: 256Mi }
{{- end -}}

{{/*
store, port, command; optional config and file; secret, the name of its environment; secretFolder, the name of the Secret in /secret;
keyFile, which the key of the Secret webkiln-mongodb is written to: one server with its data in /data.
*/}}
{{- define "stores.server" -}}
{{- $values := get .root.Values.stores .store -}}
{{- $persistent := .root.Values.stores.persistence.enabled -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "stores.metadata" . | nindent 2 }}
spec:
  clusterIP: None
  # A member of a replica set must find itself before it is ready.
  publishNotReadyAddresses: true
  selector:
    {{- include "stores.labels" . | nindent 4 }}
    app.kubernetes.io/component: server
  ports:
    - port: {{ .port }}
      targetPort: {{ .port }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  {{- include "stores.metadata" . | nindent 2 }}
spec:
  serviceName: {{ .store }}
  replicas: 1
  revisionHistoryLimit: 3
  selector:
    matchLabels:
      {{- include "stores.labels" . | nindent 6 }}
      app.kubernetes.io/component: server
  template:
    metadata:
      labels:
        {{- include "stores.labels" . | nindent 8 }}
        app.kubernetes.io/component: server
      {{- with .config }}
      annotations:
        checksum/config: {{ . | sha256sum }}
      {{- end }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext:
        {{- include "webkiln.podSecurity" . | nindent 8 }}
      terminationGracePeriodSeconds: 60
      {{- with .keyFile }}
      {{- with concat $.root.Values.global.image.pullSecrets $.root.Values.stores.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      initContainers:
        # The server refuses the file of a Secret, which the group of the pod may read.
        - name: key-file
          {{- include "stores.commandLine" (dict "root" $.root "args" (list "mongodb" "key-file" "--to" .) "secret" "webkiln-mongodb") | nindent 10 }}
          volumeMounts:
            - { name: keys, mountPath: /keys }
      {{- end }}
      containers:
        - name: {{ .store }}
          image: {{ $values.image | quote }}
          imagePullPolicy: {{ .root.Values.global.image.pullPolicy }}
          command:
            {{- toYaml .command | nindent 12 }}
          securityContext:
            {{- include "webkiln.containerSecurity" . | nindent 12 }}
          {{- with .secret }}
          envFrom:
            - secretRef: { name: {{ . }} }
          {{- end }}
          ports:
            - containerPort: {{ .port }}
          startupProbe:
            tcpSocket: { port: {{ .port }} }
            periodSeconds: 1
            failureThreshold: 120
          readinessProbe:
            tcpSocket: { port: {{ .port }} }
          livenessProbe:
            tcpSocket: { port: {{ .port }} }
            periodSeconds: 20
            timeoutSeconds: 5
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
            {{- if .config }}
            - { name: config, mountPath: /config, readOnly: true }
            {{- end }}
            {{- if .keyFile }}
            - { name: keys, mountPath: /keys, readOnly: true }
            {{- end }}
            {{- if .secretFolder }}
            - { name: secret, mountPath: /secret, readOnly: true }
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 256Mi }
        {{- if .config }}
        - name: config
          configMap: { name: {{ .store }} }
        {{- end }}
        {{- if .keyFile }}
        - name: keys
          emptyDir: { medium: Memory, sizeLimit: 1Mi }
        {{- end }}
        {{- with .secretFolder }}
        - name: secret
          secret: { secretName: {{ . }} }
        {{- end }}
        {{- if not $persistent }}
        - name: data
          emptyDir: { sizeLimit: {{ $values.storage }} }
        {{- end }}
  {{- if $persistent }}
  # For trying out: helm uninstall leaves nothing behind.
  persistentVolumeClaimRetentionPolicy: { whenDeleted: Delete, whenScaled: Retain }
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .root.Values.stores.persistence.storageClass }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests: { storage: {{ $values.storage }} }
  {{- end }}
{{- with .config }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "stores.metadata" $ | nindent 2 }}
data:
  {{ $.file }}: |
    {{- . | nindent 4 }}
{{- end }}
{{- end -}}
