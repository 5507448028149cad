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
