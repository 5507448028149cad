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
  {{- range $name, $value := merge $own .process.env .values.env }}
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
