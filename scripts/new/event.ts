import { globSync } from 'node:fs';
import path from 'node:path';
import { publicEvents } from '../../packages/contract/src/events.ts';
import { dataServiceNames } from '../../packages/messages/src/services.ts';
import { type Edits, Refusal } from './edits.ts';

/** Writes the rows of a public event. Returns what is left to do. */
export function addEvent(edits: Edits, root: string, name = '', service = ''): string[] {
  const [, record = ''] = /^([a-z]+)\.[a-z_]+$/.exec(name) ?? [];
  if (record === '') throw new Refusal('The name is a record and what happened to it, as plan.updated.');
  if (Object.hasOwn(publicEvents, name)) throw new Refusal(`There is an event ${name}.`);
  if (!(dataServiceNames as readonly string[]).includes(service)) throw new Refusal(`--service is one of ${dataServiceNames.join(', ')}.`);
  const schema = `${record[0]?.toUpperCase()}${record.slice(1)}`;
  const areas = 'packages/contract/src/areas';
  const found = globSync(`${areas}/**/*.ts`, { cwd: root }).find((file) => edits.read(file).includes(`export const ${schema} = `));
  if (found === undefined) throw new Refusal(`No area of the contract has the record ${schema}, which the event would show.`);

  const events = 'packages/contract/src/events.ts';
  const row = `  '${name}': publicEvent({
    when: '…',
    data: z.object({ ${record}: ${schema} }),
    sample: ({ at }) => ({ ${record}: sampleOf(${schema}, { id: sampleId(9), created_at: at }) }),
  }),
`;
  edits.insert(events, row, '};\nexport type WebhookEvent');
  const source = `./areas/${path.relative(areas, found)}`;
  if (!edits.read(events).includes(` from '${source}'`)) edits.insertImport(events, `import { ${schema} } from '${source}';`, source);
  edits.insert('packages/events/src/permissions/publishers.ts', `  '${name}': ['${service}'],\n`, "  'internal.client.invited'");
  return [
    `${events}: when it happens, and the fields of its sample`,
    `services/${service}: the rule that raises it (Change<…>), and raisesEvents: true on its model`,
    'npm run generate',
  ];
}
