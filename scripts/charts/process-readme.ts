import type { ProcessFacts } from './process-facts.ts';
import type { ProcessSetting } from './process-settings.ts';

const list = (names: readonly string[]) => (names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', '));

/** The README of a process chart: what the process needs, and which settings it takes. */
export function processReadme({ name, ports, callers, peers, stores, egress }: ProcessFacts, settings: readonly ProcessSetting[]): string {
  const ofSecret = settings.filter(({ setBy }) => setBy === 'secret');
  const ofValues = settings.filter(({ setBy }) => setBy === 'values');
  const rows = ofValues.map(
    ({ name, description, isRequired }) => `| \`${name}\` | ${description ?? ''}${isRequired ? ' (required)' : ''} |\n`,
  );
  return `# ${name}

Made by \`npm run generate\` from \`packages/messages/src/services.ts\` and the process's own settings. [docs/kubernetes.md](../../../docs/kubernetes.md) says how to install it.

\`\`\`
helm install ${name} deploy/charts/${name} --namespace webkiln     # the umbrella must have ${name}.enabled=false
\`\`\`

| | |
|---|---|
| Ports | ${Object.entries(ports)
    .map(([port, number]) => `${port} ${number}`)
    .join(', ')} |
| Called by | ${
    Object.entries(callers)
      .map(([port, names]) => `${port}: ${list(names)}`)
      .join('; ') || 'everyone'
  } |
| Calls | ${list(Object.keys(peers))} |
| Stores | ${list(stores)} |
| Outside | ${list(egress)} |
| Secret \`webkiln-${name}\` | ${list(ofSecret.filter(({ isRequired }) => isRequired).map((setting) => setting.name))}; may have ${list(ofSecret.filter(({ isRequired }) => !isRequired).map((setting) => setting.name))} |
| With \`global.tls\` | Secret \`webkiln-${name}-tls\`: a certificate for the DNS name \`${name}\` |

Values are explained in [values.yaml](values.yaml). Settings come from the ConfigMap \`webkiln-settings\` (the umbrella's \`global.settings\`), or for this process alone from \`env\`:

| Setting | |
|---|---|
${rows.join('')}`;
}
