{{- define "webkiln.tlsSecret" -}}
{{ dig "tls" "secretName" "" .values | default (printf "webkiln-%s-tls" .process.name) }}
{{- end -}}

{{/* The certificate by which a process proves its name, made by cert-manager. */}}
{{- define "webkiln.certificate" -}}
{{- if and .global.tls.enabled .global.tls.issuer.name }}
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  {{- include "webkiln.metadata" . | nindent 2 }}
spec:
  secretName: {{ include "webkiln.tlsSecret" . }}
  {{- include "webkiln.certificateOf" (dict "name" .process.name "global" .global) | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "webkiln.certificateOf" -}}
dnsNames: [{{ .name }}]
usages: [digital signature, server auth, client auth]
privateKey: { algorithm: ECDSA, size: 256, rotationPolicy: Always }
issuerRef:
  name: {{ .global.tls.issuer.name }}
  kind: {{ .global.tls.issuer.kind }}
{{- end -}}

{{/* An authority that Node believes besides its own. It is read at start. */}}
{{- define "webkiln.extraCaEnv" -}}
{{- if or .global.extraCa.configMap .global.extraCa.secretName }}
- name: NODE_EXTRA_CA_CERTS
  value: /run/extra-ca/ca.crt
{{- end }}
{{- end -}}

{{- define "webkiln.extraCaMount" -}}
{{- if or .global.extraCa.configMap .global.extraCa.secretName }}
- { name: extra-ca, mountPath: /run/extra-ca, readOnly: true }
{{- end }}
{{- end -}}

{{- define "webkiln.extraCaVolume" -}}
{{- with .global.extraCa }}
{{- if .configMap }}
- name: extra-ca
  configMap: { name: {{ .configMap }}, items: [{ key: ca.crt, path: ca.crt }] }
{{- else if .secretName }}
- name: extra-ca
  secret: { secretName: {{ .secretName }}, items: [{ key: ca.crt, path: ca.crt }] }
{{- end }}
{{- end }}
{{- end -}}
