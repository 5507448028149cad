{{/*
Makes indexes and migrates documents. Not a hook: on a first install the stores come in the same release. Services stay
unready until it is done, and with maxUnavailable 0 the release before serves meanwhile. The name changes with the image
and settings, because the pod of a Job cannot be changed; the same upgrade twice runs nothing again.
*/}}
{{- define "webkiln.migration" -}}
{{- if and .process.migrates .values.migration.enabled }}
{{- $container := include "webkiln.containerSettings" . }}
{{- $volumes := include "webkiln.volumes" . | trim }}
{{- $revision := print $container $volumes (include "webkiln.podSettings" .) (.global.settings | toJson) | sha256sum | trunc 8 }}
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
