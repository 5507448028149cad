import { fingerprintedSettings } from '../../cli/src/backup/secret-fingerprints.ts';
import { natsServerUsers } from '../../packages/events/src/permissions/nats-authorization.ts';
import { processes, type StoreName } from '../../packages/messages/src/index.ts';
import { factsOf, processNames } from './process-facts.ts';
import { processReadme } from './process-readme.ts';
import { settingsOf } from './process-settings.ts';
import { processValues } from './process-values.ts';
import { storesSchema, umbrellaSchema } from './umbrella-schema.ts';
import { umbrellaValues } from './umbrella-values.ts';
import { processSchema } from './values-schema.ts';

const version = '0.1.0';
const home = 'deploy/charts';
const made = '# Made by npm run generate.\n';
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const chartYaml = (name: string, description: string, dependencies: readonly string[]) => `${made}apiVersion: v2
name: ${name}
description: ${description}
type: application
version: ${version}
appVersion: ${version}
kubeVersion: '>=1.30.0-0'
dependencies:
${dependencies.join('')}`;

const dependency = (name: string, folder = name) => `  - name: ${name}
    version: ${version}
    repository: file://../${folder}
`;

const notes = (name: string) => `${name} runs in the namespace {{ .Release.Namespace }}.
It reads the ConfigMap webkiln-settings and the Secret {{ .Values.secretName | default "webkiln-${name}" }}. After a change of either, restart it:
  kubectl rollout restart deployment/${name} --namespace {{ .Release.Namespace }}
`;

const callersOf = (store: StoreName): string[] =>
  processNames.filter((name) => (processes[name].stores as readonly StoreName[]).includes(store));
/** The label of pods that write or restore a backup, which reach no process. */
const backup = 'backup';
/** The process whose Secret holds each secret that a backup has a fingerprint of. */
const backupSecrets = () =>
  Object.fromEntries(
    fingerprintedSettings.map((setting) => [setting, processNames.find((name) => has(processes[name].settings, setting))] as const),
  );
const has = (settings: readonly string[], setting: string) => settings.includes(setting);
/** Replaced by EVENTS_PREFIX when the chart is rendered. */
const prefixMark = '%EVENTS_PREFIX%';

/** The text of each file of a chart that derives from services.ts and the settings of processes, by its path. */
export async function chartFiles(): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const settings = new Map(await Promise.all(processNames.map(async (name) => [name, await settingsOf(name)] as const)));
  const all = [...new Map([...settings.values()].flat().map((setting) => [setting.name, setting])).values()];
  for (const name of processNames) {
    const facts = factsOf(name);
    const own = settings.get(name) ?? [];
    const put = (file: string, content: string) => {
      files[`${home}/${name}/${file}`] = content;
    };
    put('Chart.yaml', chartYaml(name, `The Webkiln process ${name}`, [dependency('webkiln-library', 'library')]));
    put('process.json', json(facts));
    put('values.yaml', processValues(facts));
    put('values.schema.json', json(processSchema(facts, own, all)));
    put('templates/process.yaml', '{{- include "webkiln.process" . }}\n');
    put('templates/NOTES.txt', notes(name));
    put('README.md', processReadme(facts, own));
  }
  const parts = [...processNames, 'stores'].map((name) => `${dependency(name)}    condition: ${name}.enabled\n`);
  files[`${home}/webkiln/Chart.yaml`] = chartYaml('webkiln', 'The open platform on which agencies run their website business', parts);
  files[`${home}/webkiln/values.yaml`] = umbrellaValues();
  files[`${home}/webkiln/values.schema.json`] = json(umbrellaSchema(all));
  files[`${home}/webkiln/backup-secrets.json`] = json(backupSecrets());
  files[`${home}/webkiln/processes.json`] = json(processNames);
  files[`${home}/stores/values.schema.json`] = json(storesSchema(all));
  const callers = { mongodb: [...callersOf('mongodb'), backup], nats: [...callersOf('nats'), backup], redis: callersOf('redis') };
  files[`${home}/stores/callers.json`] = json(callers);
  files[`${home}/stores/files/nats-users.conf`] = made + natsServerUsers(prefixMark);
  return files;
}

/** Links to the charts that a chart depends on, by their path: Helm then needs no download and no build. */
export const chartLinks = (): Record<string, string> => ({
  ...Object.fromEntries([...processNames, 'stores'].map((name) => [`${home}/${name}/charts/webkiln-library`, '../../library'])),
  ...Object.fromEntries([...processNames, 'stores'].map((name) => [`${home}/webkiln/charts/${name}`, `../../${name}`])),
});
