/** Writes the committed files that derive from the contract; with --check only reports those that are not current. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { composeFile } from '../deploy/compose/compose-file.ts';
import { agentAbilities } from '../packages/contract/src/agents/agent-abilities.ts';
import { moreTools } from '../packages/contract/src/agents/more-tools.ts';
import { publicEvents, webhookEvents } from '../packages/contract/src/events.ts';
import { agentAbilitiesFor } from '../packages/contract/src/http/access.ts';
import { operations } from '../packages/contract/src/http/operations.ts';
import { sessionRoles } from '../packages/contract/src/http/roles.ts';
import { openApiDocument } from '../packages/contract/src/openapi/document.ts';
import { errorPage } from '../packages/contract/src/openapi/error-page.ts';
import { protoFile } from '../packages/contract/src/wire/proto-file.ts';
import { protoMessages } from '../packages/contract/src/wire/proto-messages.ts';
import { chartFiles } from './charts/chart-files.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => (existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), 'utf8') : '');

const eventNames = `// biome-ignore-all format: made by scripts/contract-documents.ts
export const eventNames = [
${webhookEvents.map((name) => `  '${name}',\n`).join('')}] as const;
`;

/** The rows of the events in docs/webhooks.md: name, when it is raised, what `data` holds. */
function withEventTable(guide: string): string {
  const head = '| Event | When | `data` |\n|---|---|---|\n';
  const start = guide.indexOf(head) + head.length;
  const rows = Object.entries(publicEvents).map(([type, { when, data }]) => {
    const fields = Object.entries(data.shape).map(([name, schema]) => {
      // A record of the REST API is documented there; of anything else the table lists the fields.
      const text =
        schema.description ??
        Object.keys(schema.shape)
          .map((field) => `\`${field}\``)
          .join(', ');
      return schema.meta()?.id === undefined ? `\`${name}\`: ${text}` : `\`${name}\``;
    });
    return `| \`${type}\` | ${when} | ${fields.join('; ')} |\n`;
  });
  return guide.slice(0, start) + rows.join('') + guide.slice(guide.indexOf('\n\n', start) + 1);
}

/** A guide with the rows of its table that begins with `head`. */
function withTable(guide: string, head: string, rows: readonly string[]): string {
  const start = guide.indexOf(head) + head.length;
  return guide.slice(0, start) + rows.join('') + guide.slice(guide.indexOf('\n\n', start) + 1);
}

const codes = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

/** The rows of what agents may do in docs/oauth.md: the line of the consent page, who sees it, what it allows. */
function withAgentTable(guide: string): string {
  const rows = agentAbilities.map((ability) => {
    const shownTo = sessionRoles.filter((role) => agentAbilitiesFor(role).includes(ability));
    return `| \`${ability.scope}\` | ${ability.line} | ${shownTo.join(', ')} | ${codes(ability.operations)} |\n`;
  });
  return withTable(guide, '| Scope | Line of the consent page | Shown to | Operations |\n|---|---|---|---|\n', rows);
}

/** The rows of the tools in docs/mcp.md that an address asks for. */
function withToolTable(guide: string): string {
  const rows = Object.entries(moreTools).map(([name, { set, operation }]) => {
    const scope = agentAbilities.find(({ operations: names }) => names.includes(operation))?.scope;
    return `| \`${set}\` | \`${name}\` | \`${operation}\` | \`${scope}\` |\n`;
  });
  return withTable(guide, '| Set | Tool | Operation | Scope |\n|---|---|---|---|\n', rows);
}

const byPackage = Map.groupBy(protoMessages(Object.values(operations)), ({ name }) => name.slice(0, name.lastIndexOf('.')));
const protos = [...byPackage].map(([name, messages]) => {
  const file = `protos/${name.replaceAll('.', '/')}/records.proto`;
  return [file, () => protoFile(name, messages, read(file))] as const;
});

const documents: Readonly<Record<string, () => string>> = {
  'docs/openapi.json': () => `${JSON.stringify(openApiDocument('http://localhost:8080/api/v1'), null, 2)}\n`,
  'dashboard/src/webhooks/event-names.ts': () => eventNames,
  'docs/webhooks.md': () => withEventTable(read('docs/webhooks.md')),
  'docs/errors.md': errorPage,
  'docs/oauth.md': () => withAgentTable(read('docs/oauth.md')),
  'docs/mcp.md': () => withToolTable(read('docs/mcp.md')),
  ...Object.fromEntries(protos),
};
for (const [file, render] of Object.entries(documents)) writeOrCompare(file, render());
// These read the configuration of each service, which loads the protos: those must be written by now.
for (const [file, text] of Object.entries(await chartFiles())) writeOrCompare(file, text);
writeOrCompare('compose.yaml', await composeFile());

function writeOrCompare(file: string, text: string): void {
  if (!process.argv.includes('--check')) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  } else if (read(file) !== text) {
    console.error(`${file} differs from the contract: run \`npm run generate\` and commit it.`);
    process.exitCode = 1;
  }
}
