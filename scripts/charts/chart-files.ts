import { fingerprintedSettings } from '../../cli/src/backup/secret-fingerprints.ts';
import { natsServerUsers } from '../../packages/events/src/permissions/nats-permissions.ts';
import { processes } from '../../packages/messages/src/index.ts';
import { factsOf, processNames } from './process-facts.ts';
import { type KnownProcess, type ProcessSetting, settingsOf } from './process-settings.ts';
import { valuesSchema } from './values-schema.ts';
import { valuesTable } from './values-table.ts';

/** The rows of a table stay one line each. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const shownDefault = ({ isRequired, byDefault }: ProcessSetting) => {
  if (byDefault === '') return 'none';
  return byDefault === undefined ? (isRequired ? '**required**' : '–') : `\`${byDefault}\``;
};

/** A Markdown table of the settings that `isWanted`, each once, with the processes that read it. */
function settingsTable(known: readonly KnownProcess[], isWanted: (setting: ProcessSetting) => boolean): string {
  const uses = known.flatMap(({ facts, settings }) => settings.filter(isWanted).map((setting) => ({ setting, process: facts.name })));
  const rows = [...Map.groupBy(uses, ({ setting }) => setting.name)].map(([name, each]) => {
    const readers = each.length === known.length ? 'all' : each.map(({ process }) => process).join(', ');
    // Where one process requires what another may do without, the table says so.
    const setting = each.find(({ setting: { isRequired } }) => isRequired)?.setting ?? each[0]?.setting;
    if (setting === undefined) return '';
    return `| \`${name}\` | ${cell(setting.description)} | ${cell(setting.rule)} | ${cell(shownDefault(setting))} | ${readers} |\n`;
  });
  return `| Setting | Meaning | Must | Default | Read by |\n|---|---|---|---|---|\n${rows.join('')}`;
}

/** docs/settings.md. */
const settingsPage = (known: readonly KnownProcess[]): string => `# Settings

Every environment variable of every process, made by \`npm run generate\` from the schemas by which processes check them. A process whose setting is missing or
wrong prints its name and what it must be, and exits with code 78. \`webkiln config check --env-file .env\` says the same without starting anything.
[Operations](operations.md#settings) says which ones an installation sets, and which are better left.

An empty variable counts as absent. In Kubernetes the chart takes those of the first table in \`global.settings\` and \`<process>.env\`.

## For an installation to choose

${settingsTable(known, ({ setBy }) => setBy === 'values')}
## In Secrets

Each may be given as \`<NAME>_FILE\`, the path of a file that holds it ([secrets](secrets.md)). \`webkiln secrets create\` makes them.

${settingsTable(known, ({ setBy }) => setBy === 'secret')}
## Set by the chart, an image or \`npm start\`

${settingsTable(known, ({ setBy }) => setBy === 'chart' || setBy === 'image')}`;

const home = 'deploy/charts/webkiln';
const maxLineLength = 140;
/** Replaced by EVENTS_PREFIX when the chart is rendered. */
const prefixMark = '%EVENTS_PREFIX%';

/** The text of each file that derives from services.ts and the settings of processes, by its path. */
export async function chartFiles(): Promise<Record<string, string>> {
  const known = await Promise.all(processNames.map(async (name) => ({ facts: factsOf(name), settings: await settingsOf(name) })));
  return {
    [`${home}/README.md`]: readme(known),
    'docs/settings.md': settingsPage(known),
    [`${home}/values.schema.json`]: `${json(valuesSchema(known))}\n`,
    [`${home}/files/processes.json`]: `${json({ processes: known.map(({ facts }) => facts), backupSecrets: backupSecrets() })}\n`,
    [`${home}/files/nats-users.conf`]: `# Made by npm run generate.\n${natsServerUsers(prefixMark)}`,
  };
}

/** The process whose Secret holds each secret that a backup has a fingerprint of. */
const backupSecrets = () =>
  Object.fromEntries(
    fingerprintedSettings.map((setting) => [
      setting,
      processNames.find((name) => (processes[name].settings as readonly string[]).includes(setting)),
    ]),
  );

/** JSON whose short lists and objects take one line each. */
function json(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= maxLineLength) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((part) => json(part, inner))
    : Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${json(part, inner)}`);
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

const list = (names: readonly string[]) => (names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', '));

/** What each process needs, and which processes take each setting. */
function readme(known: readonly KnownProcess[]): string {
  const processRows = known.map(({ facts: { name, ports, callers, peers, stores, egress }, settings }) => {
    const secrets = settings.filter(({ setBy }) => setBy === 'secret');
    const optional = secrets.filter(({ isRequired }) => !isRequired).map((setting) => setting.name);
    const calledBy = Object.entries(callers).map(([port, names]) => `${port}: ${list(names)}`);
    if ('public' in ports) calledBy.unshift('public: everyone');
    const cells = [
      `\`${name}\``,
      Object.entries(ports)
        .map(([port, number]) => `${port} ${number}`)
        .join(', '),
      calledBy.join('; '),
      list(Object.keys(peers)),
      list([...stores, ...egress]),
      list(secrets.filter(({ isRequired }) => isRequired).map((setting) => setting.name)) +
        (optional.length === 0 ? '' : `; may have ${list(optional)}`),
    ];
    return `| ${cells.join(' | ')} |\n`;
  });
  return `# The chart of Webkiln

Made by \`npm run generate\` from \`packages/messages/src/services.ts\` and the settings of each process. [docs/kubernetes.md](../../../docs/kubernetes.md)
says how to install it. The values are [below](#values), [values.yaml](values.yaml) has them as a file.

## Processes

The Secret of a process is \`webkiln-<process>\`. With \`global.tls\` it also mounts \`webkiln-<process>-tls\`: a certificate for the DNS name \`<process>\`.

| Process | Ports | Called by | Calls | Stores and networks | In its Secret |
|---|---|---|---|---|---|
${processRows.join('')}
## Settings

For all processes in \`global.settings\`, for one in \`<process>.env\`. A wrong value ends the process with what stands below "Must".

${settingsTable(known, ({ setBy }) => setBy === 'values')}
## Values

Besides, each process has an object of its name with what \`defaults\` has, for itself alone. [values.schema.json](values.schema.json) refuses a misspelt value.

${valuesTable()}`;
}
