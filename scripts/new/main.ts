/** `npm run new`: writes the skeleton of an addition, and says what is left to do. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Edits, Refusal } from './edits.ts';
import { addEvent } from './event.ts';
import { addOperation, operationOf } from './operation.ts';
import { addService } from './service.ts';

const help = `npm run new -- operation NAME METHOD PATH --area AREA [--feature FOLDER]
npm run new -- event NAME --service SERVICE
npm run new -- service NAME

Writes the skeleton of an addition and prints what is left to do: docs/architecture.md#adding-things.

  operation   its entry in the contract, its RPC, its use case, and its callers
  event       its row among the public events, and the service that publishes it
  service     a process that keeps data, with one area of its name and no operation yet

  --area      whose proto and service the operation is part of
  --feature   the folder of its use case and the file of its entry; by default the last word of the path

Examples:
  npm run new -- operation listNotes GET '/projects/{projectId}/notes' --area projects
  npm run new -- event plan.updated --service clients-plans
  npm run new -- service notes`;

const root = path.resolve(import.meta.dirname, '../..');
const edits = new Edits(root);

function addAsked(): string[] | undefined {
  const options = {
    area: { type: 'string' },
    feature: { type: 'string' },
    service: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [kind, ...given] = positionals;
  if (values.help) return undefined;
  if (kind === 'operation') return addOperation(edits, root, operationOf(given, values.area, values.feature));
  if (kind === 'event') return addEvent(edits, root, given[0], values.service);
  if (kind === 'service') return addService(edits, given[0]);
  throw new Refusal(`Name what to add: operation, event or service.\n\n${help}`);
}

try {
  const left = addAsked();
  if (left === undefined) console.log(help);
  else console.log(['Written:', ...edits.save().map((file) => `  ${file}`), 'Left to do:', ...left.map((step) => `  ${step}`)].join('\n'));
} catch (error) {
  const isCallers = error instanceof Refusal || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (!isCallers) throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
}
