{{/*
All values of a process: what `defaults` say, unless its own say otherwise. `process` is its row of files/processes.json,
which npm run generate derives from packages/messages/src/services.ts.
*/}}
{{- define "webkiln.valuesOf" -}}
{{- $image := dict "image" (dict "repository" (printf "webkiln/%s" .process.name)) -}}
{{- mergeOverwrite $image (deepCopy .root.Values.defaults) (deepCopy (get .root.Values .process.name | default dict)) | toJson -}}
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

{{/* A setting as text. Helm reads numbers as floats, and would write a million as 1e+06. */}}
{{- define "webkiln.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{- define "platform.labels" -}}
app.kubernetes.io/part-of: webkiln
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* The public hosts as JSON; those of sites and previews have one label more. */}}
{{- define "platform.hosts" -}}
{{- $settings := .Values.global.settings -}}
{{- $host := dict -}}
{{- range $name, $setting := dict "origin" "ORIGIN" "sites" "SITES_ORIGIN" "preview" "PREVIEW_ORIGIN" }}
{{- $_ := set $host $name (regexReplaceAll ":[0-9]+$" (urlParse (get $settings $setting)).host "") }}
{{- end -}}
{{- dict "origin" $host.origin "sites" (printf "*.%s" $host.sites) "preview" (printf "*.%s" $host.preview) | toJson -}}
{{- end -}}
