/** A Kubernetes Secret as YAML. JSON strings are YAML strings. */
export const secretManifest = (name: string, namespace: string, data: Readonly<Record<string, string>>): string => `apiVersion: v1
kind: Secret
metadata:
  name: ${name}
  namespace: ${namespace}
  labels:
    app.kubernetes.io/part-of: webkiln
type: Opaque
stringData:
${Object.entries(data)
  .map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`)
  .join('')}`;
