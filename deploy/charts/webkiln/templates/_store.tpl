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

{{/* store, port, command; optional config and file, and secret, the name of its environment: one server with its data in /data. */}}
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
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 256Mi }
        {{- if .config }}
        - name: config
          configMap: { name: {{ .store }} }
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
