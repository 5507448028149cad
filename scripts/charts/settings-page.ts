import type { KnownProcess, ProcessSetting } from './process-settings.ts';

/** The rows of a table stay one line each. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const shownDefault = ({ isRequired, byDefault }: ProcessSetting) => {
  if (byDefault === '') return 'none';
  return byDefault === undefined ? (isRequired ? '**required**' : '–') : `\`${byDefault}\``;
};

/** A Markdown table of the settings that `isWanted`, each once, with the processes that read it. */
export function settingsTable(known: readonly KnownProcess[], isWanted: (setting: ProcessSetting) => boolean): string {
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
export const settingsPage = (known: readonly KnownProcess[]): string => `# Settings

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
