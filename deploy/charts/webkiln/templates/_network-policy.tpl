{{/* Exactly the arrows of services.ts: who calls this process, whom it calls, its stores, and the internet only where it needs it. */}}
{{- define "webkiln.networkPolicy" -}}
{{- if .global.networkPolicy.enabled }}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "webkiln.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "webkiln.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    {{- range $port, $callers := .process.callers }}
    - from:
        {{- range $callers }}
        - podSelector:
            matchLabels:
              app.kubernetes.io/name: {{ . }}
              app.kubernetes.io/part-of: webkiln
        {{- end }}
      ports:
        - port: {{ get $.process.ports $port }}
    {{- end }}
    {{- if hasKey .process.ports "public" }}
    - ports:
        - port: {{ .process.ports.public }}
      {{- with .values.networkPolicy.publicFrom }}
      from:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- end }}
    {{- with .global.monitoring.from }}
    - from:
        {{- toYaml . | nindent 8 }}
      ports:
        - port: {{ $.process.ports.internal }}
    {{- end }}
    {{- with .values.networkPolicy.extraIngress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  egress:
    {{- range $peer, $ports := .process.peers }}
    - to:
        - podSelector:
            matchLabels:
              app.kubernetes.io/name: {{ $peer }}
              app.kubernetes.io/part-of: webkiln
      ports:
        {{- range $ports }}
        - port: {{ . }}
        {{- end }}
    {{- end }}
    {{- with include "webkiln.egressToStores" . | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- include "webkiln.egressToDns" . | nindent 4 }}
    {{- with include "webkiln.egressBeyond" . | trim }}
    {{- . | nindent 4 }}
    {{- end }}
{{- end }}
{{- end -}}

{{- define "webkiln.egressToStores" -}}
{{- range .process.stores }}
{{- $store := get $.global.networkPolicy.stores . }}
- ports:
    {{- range $store.ports }}
    - port: {{ . }}
    {{- end }}
  {{- if $store.to }}
  to:
    {{- toYaml $store.to | nindent 4 }}
  {{- else if $.root.Values.stores.enabled }}
  to:
    - podSelector:
        matchLabels:
          app.kubernetes.io/name: {{ . }}
          app.kubernetes.io/part-of: webkiln
  {{- else }}
  {{- include "webkiln.needsPlace" (dict "root" $.root "name" (printf "stores.%s" .)) }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* A release of one process may go without: it has few values of the installation. */}}
{{- define "webkiln.needsPlace" -}}
{{- if not .root.Values.only }}
{{- fail (printf "global.networkPolicy.%s.to: say where it is, as NetworkPolicy peers; [{ipBlock: {cidr: 0.0.0.0/0}}] is everywhere" .name) }}
{{- end }}
{{- end -}}

{{- define "webkiln.egressToDns" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end -}}

{{- define "webkiln.egressBeyond" -}}
{{- if has "internet" .process.egress }}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except: [10.0.0.0/8, 100.64.0.0/10, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16]
    - ipBlock:
        cidr: ::/0
        except: ['fc00::/7', 'fe80::/10']
  ports:
    {{- range .values.networkPolicy.internetPorts }}
    - port: {{ . }}
    {{- end }}
{{- end }}
{{- /* Without a mail server, mails are files. */}}
{{- if and (has "mail" .process.egress) (or .global.networkPolicy.mail.to (not (dig "settings" "MAIL_DIR" "" .global))) }}
- ports:
    {{- range .global.networkPolicy.mail.ports }}
    - port: {{ . }}
    {{- end }}
  {{- if .global.networkPolicy.mail.to }}
  to:
    {{- toYaml .global.networkPolicy.mail.to | nindent 4 }}
  {{- else }}
  {{- include "webkiln.needsPlace" (dict "root" .root "name" "mail") }}
  {{- end }}
{{- end }}
{{- with concat .global.networkPolicy.extraEgress .values.networkPolicy.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}
