import { processes, type StoreName } from '../../packages/messages/src/index.ts';
import { factsOf, processNames } from './process-facts.ts';
import { processValues } from './process-values.ts';

const version = '0.1.0';

const chartYaml = (name: string) => `# Made by npm run generate.
apiVersion: v2
name: ${name}
description: The Webkiln process ${name}
type: application
version: ${version}
appVersion: ${version}
kubeVersion: '>=1.30.0-0'
dependencies:
  - name: webkiln-library
    version: ${version}
    repository: file://../library
`;

const notes = (name: string) => `${name} runs in the namespace {{ .Release.Namespace }}.
It reads the ConfigMap webkiln-settings and the Secret {{ .Values.secretName | default "webkiln-${name}" }}. After a change of either, restart it:
  kubectl rollout restart deployment/${name} --namespace {{ .Release.Namespace }}
`;

/** The files of each process chart, by their path below the repository. */
export function processCharts(): Record<string, () => string> {
  const files: Record<string, () => string> = {};
  for (const name of processNames) {
    const folder = `deploy/charts/${name}`;
    const facts = factsOf(name);
    files[`${folder}/Chart.yaml`] = () => chartYaml(name);
    files[`${folder}/process.json`] = () => `${JSON.stringify(facts, null, 2)}\n`;
    files[`${folder}/values.yaml`] = () => processValues(facts);
    files[`${folder}/templates/process.yaml`] = () => '{{- include "webkiln.process" . }}\n';
    files[`${folder}/templates/NOTES.txt`] = () => notes(name);
  }
  const callers = (store: StoreName) => processNames.filter((name) => (processes[name].stores as readonly StoreName[]).includes(store));
  const stores = { mongodb: callers('mongodb'), nats: callers('nats'), redis: callers('redis') };
  files['deploy/charts/stores/callers.json'] = () => `${JSON.stringify(stores, null, 2)}\n`;
  return files;
}
