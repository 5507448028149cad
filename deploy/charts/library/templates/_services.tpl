{{/*
Callers resolve a headless service to all its pods and pick the least busy one. Pods that are not ready are left out.
Only the gateway has a cluster address, which an Ingress or a load balancer calls.
*/}}
{{- define "webkiln.services" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "webkiln.metadata" . | nindent 2 }}
  {{- with .values.service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if hasKey .process.ports "public" }}
  type: {{ .values.service.type }}
  {{- else }}
  clusterIP: None
  {{- end }}
  selector:
    {{- include "webkiln.selector" . | nindent 4 }}
    app.kubernetes.io/component: process
  ports:
    {{- range $name, $port := .process.ports }}
    {{- if eq $name "public" }}
    - name: http
      port: 80
      targetPort: public
      appProtocol: http
    {{- else if ne $name "internal" }}
    - name: {{ $name }}
      port: {{ $port }}
      targetPort: {{ $name }}
      appProtocol: {{ $name }}
    {{- else if not (hasKey $.process.ports "public") }}
    - name: internal
      port: {{ $port }}
      targetPort: internal
      appProtocol: http
    {{- end }}
    {{- end }}
{{- end -}}
