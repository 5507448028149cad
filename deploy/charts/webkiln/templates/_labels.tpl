{{- define "umbrella.labels" -}}
app.kubernetes.io/part-of: webkiln
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* The public hosts as JSON; those of sites and previews have one label more. */}}
{{- define "umbrella.hosts" -}}
{{- $settings := .Values.global.settings -}}
{{- $host := dict -}}
{{- range $name, $setting := dict "origin" "ORIGIN" "sites" "SITES_ORIGIN" "preview" "PREVIEW_ORIGIN" }}
{{- $_ := set $host $name (regexReplaceAll ":[0-9]+$" (urlParse (get $settings $setting)).host "") }}
{{- end -}}
{{- dict "origin" $host.origin "sites" (printf "*.%s" $host.sites) "preview" (printf "*.%s" $host.preview) | toJson -}}
{{- end -}}
