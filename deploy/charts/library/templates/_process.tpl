{{/*
All objects of one process. The chart's process.json holds the facts that npm run generate derives from
packages/messages/src/services.ts; its values hold what an installation may choose.
*/}}
{{- define "webkiln.process" -}}
{{- $process := .Files.Get "process.json" | fromJson -}}
{{- $context := dict "root" . "process" $process "values" .Values "global" .Values.global -}}
{{- range $template := list "serviceAccount" "deployment" "services" "migration" "disruption" "autoscaling" "networkPolicy" "serviceMonitor" "externalSecret" "certificate" }}
{{- with include (printf "webkiln.%s" $template) $context | trim }}
---
{{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "webkiln.selector" -}}
app.kubernetes.io/name: {{ .process.name }}
app.kubernetes.io/part-of: webkiln
{{- end -}}

{{- define "webkiln.labels" -}}
{{ include "webkiln.selector" . }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{/* Names are fixed, so that a service has the same address whichever release it belongs to. */}}
{{- define "webkiln.metadata" -}}
name: {{ .process.name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "webkiln.labels" . | nindent 2 }}
{{- end -}}

{{- define "webkiln.image" -}}
{{- $image := .values.image -}}
{{- $registry := $image.registry | default .global.image.registry -}}
{{- $name := $image.repository -}}
{{- if $registry }}{{ $name = printf "%s/%s" (trimSuffix "/" $registry) $name }}{{ end -}}
{{- if $image.digest -}}
{{ $name }}@{{ $image.digest }}
{{- else -}}
{{ $name }}:{{ $image.tag | default .global.image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "webkiln.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "webkiln.metadata" . | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}

{{/* A setting as text. Helm reads numbers as floats, and would write a million as 1e+06. */}}
{{- define "webkiln.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}
