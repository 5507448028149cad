/** Two additions, in the steps of docs/architecture.md: an operation with its own collection, and an event. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Step {
  /** What the document's step names: a file, or a command. */
  readonly names: string;
  /** Carries the step out in a copy of the tree. */
  readonly run: (tree: string) => void;
}

export function write(tree: string, file: string, text: string): void {
  mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
  writeFileSync(path.join(tree, file), text);
}

/** Replaces the one place where `old` stands. */
export function edit(tree: string, file: string, old: string, text: string): void {
  const [before, after, ...more] = readFileSync(path.join(tree, file), 'utf8').split(old);
  if (after === undefined || more.length > 0) throw new Error(`${file} has not exactly one ${JSON.stringify(old)}`);
  write(tree, file, `${before}${text}${after}`);
}

const addBefore = (tree: string, file: string, place: string, text: string) => edit(tree, file, place, `${text}${place}`);

/** `npm run new` and its arguments; the test's process is Node of the toolchain already. */
export const scaffold = (...args: readonly string[]): Step => ({
  names: `npm run new -- ${args[0]} ${args[1]}`,
  run: (tree) => void execFileSync(process.execPath, ['scripts/new/main.ts', ...args], { cwd: tree, stdio: ['ignore', 'ignore', 'pipe'] }),
});

export const generate: Step = {
  names: 'npm run generate',
  run: (tree) => void execFileSync(process.execPath, ['scripts/generate.ts'], { cwd: tree, stdio: ['ignore', 'ignore', 'pipe'] }),
};

export const contract = 'packages/contract/src';
const notes = 'services/projects-templates/src/notes';

const area = `import * as z from 'zod';
import { CreatedAt, RecordId } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';

export const Note = z
  .object({ id: RecordId, text: z.string().describe('What is noted'), created_at: CreatedAt })
  .meta({ id: 'Note', description: 'A note about a project' });
export type Note = z.infer<typeof Note>;

export const listNotes = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/notes',
  tag: 'Projects',
  summary: 'List the notes about a project',
  description: 'What members remember about it.',
  permission: 'read',
  rpc: 'projects.ListNotes',
  output: z.object({ notes: z.array(Note).describe('The notes, newest first; empty if there are none') }),
  success: 200,
  errors: ['project_not_found'],
});
`;

const useCase = `import { createProjection, Note } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { existingProject } from '../projects/project-store.ts';
import { notesOf } from './note-store.ts';

const toNote = createProjection(Note);

export const listNotes = handle('projects.ListNotes', async ({ project_id }, caller) => {
  await existingProject(caller, project_id);
  return { notes: (await notesOf(caller, project_id)).map(toNote) };
});
`;

const store = `import { Note, type StateOf } from '@webkiln/contract';
import { defineModel, definitionOf, type Scope, scoped } from '@webkiln/store';

interface NoteState extends StateOf<typeof Note> {
  project_id: string;
}

export const NoteModel = defineModel<NoteState>(
  'notes',
  { ...definitionOf(Note), project_id: { type: String, required: true } },
  { ofProject: 'project_id', exportedAs: 'notes' },
);

export const notesOf = (scope: Scope, project_id: string) =>
  scoped(NoteModel, scope).find({ project_id }, { sort: { created_at: -1, _id: 1 } });
`;

const exported = `  notes: () =>
    ofEach(everyProject(ask), async function* (project_id) {
      for (const note of (await ask('projects.ListNotes', { project_id })).notes) yield { project_id, ...note };
    }),
`;

export const collection: readonly Step[] = [
  { names: 'note-store.ts', run: (tree) => write(tree, `${notes}/note-store.ts`, store) },
  {
    names: 'packages/messages/src/export-kinds.ts',
    run: (tree) => {
      addBefore(tree, 'packages/messages/src/export-kinds.ts', "  'files',\n", "  'notes',\n");
      addBefore(tree, 'cli/src/export/records.ts', '  domains: () =>\n', exported);
      addBefore(tree, 'cli/src/export/readme.ts', 'domains.json  ', 'notes.json             the notes about each project\n');
    },
  },
  {
    names: 'packages/rpc/src/server/own-calls.ts',
    run: (tree) =>
      addBefore(tree, 'packages/rpc/src/server/own-calls.ts', "  'projects.ListDomains'", "  'projects.ListNotes': ['operator'],\n"),
  },
];

export const operation: readonly Step[] = [
  scaffold('operation', 'listNotes', 'GET', '/projects/{projectId}/notes', '--area', 'projects'),
  { names: 'packages/contract/src/areas/', run: (tree) => write(tree, `${contract}/areas/notes.ts`, area) },
  {
    names: 'packages/contract/src/examples/',
    run: (tree) => {
      const records = `${contract}/examples/site-records.ts`;
      addBefore(
        tree,
        records,
        'const Template = {',
        "const Note = { id: ids.turn, text: 'Closed on Mondays', created_at: times.began };\n\n",
      );
      addBefore(tree, records, 'Template, Submission, SubmittedForm', 'Note, ');
    },
  },
  generate,
  { names: 'handle(', run: (tree) => write(tree, `${notes}/list-notes.ts`, useCase) },
  {
    names: 'test/contract/roles.test.ts',
    run: (tree) => {
      if (!readFileSync(path.join(tree, 'test/contract/roles.test.ts'), 'utf8').includes('listNotes listWebhooks'))
        throw new Error('the skeleton has not named the callers');
    },
  },
];

export const event: readonly Step[] = [
  scaffold('event', 'plan.updated', '--service', 'clients-plans'),
  {
    names: 'packages/contract/src/events.ts',
    run: (tree) => {
      edit(tree, `${contract}/events.ts`, "when: '…'", "when: 'at least one field of a plan changed'");
      addBefore(tree, `${contract}/events.ts`, 'created_at: at }) }),', "name: 'Studio', ");
    },
  },
  {
    names: 'Change<…>',
    run: (tree) => {
      const rules = 'services/clients-plans/src/plans/plan.ts';
      edit(tree, rules, 'Change<Partial<PlanFields>, never> | null', 'Change<Partial<PlanFields>> | null');
      edit(
        tree,
        rules,
        'new Change(state, [])',
        "new Change(state, [{ type: 'plan.updated', data: { plan: toPlan({ ...current, ...state }) } }])",
      );
    },
  },
  {
    names: 'raisesEvents: true',
    run: (tree) => {
      if (!readFileSync(path.join(tree, 'services/clients-plans/src/plans/plan-store.ts'), 'utf8').includes('raisesEvents: true'))
        throw new Error('plans raise no events any more: choose another record for this recipe');
    },
  },
  generate,
];

/** Suites that show what was added at work. */
export const proofs: Readonly<Record<string, string>> = {
  [`${notes}/notes.test.ts`]: `import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { scoped } from '@webkiln/store';
import { testCaller } from '@webkiln/store/testing';
import { newProject } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { NoteModel } from './note-store.ts';

useProjectsTemplates();

test('the notes of a project are listed, and deleted with it', async () => {
  const org_id = randomUUID();
  const [deleted, other] = [await newProject(org_id), await newProject(org_id)];
  const records = scoped(NoteModel, { org_id });
  for (const { id } of [deleted, other])
    await records.insert({ _id: randomUUID(), project_id: id, text: id, created_at: new Date().toISOString() });
  const listed = await call('projects.ListNotes', { project_id: deleted.id }, testCaller(org_id));
  expect(listed.notes).toMatchObject([{ text: deleted.id }]);
  await call('projects.DeleteProject', { project_id: deleted.id }, testCaller(org_id));
  expect((await records.find({})).map(({ text }) => text)).toEqual([other.id]);
});
`,
  'services/clients-plans/src/plans/plan-updated.test.ts': `import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newPlan } from '../testing/records.ts';
import { newOrganization, useClientsPlans } from '../testing/running-service.ts';
import { published } from '../testing/test-stream.ts';

const stream = useClientsPlans();

test('a change of a plan is published', async () => {
  const org = newOrganization();
  const plan_id = await newPlan(org);
  await call('plans.UpdatePlan', { plan_id, price: 1, update_mask: ['price'] }, testCaller(org));
  expect(await published(stream, 'plan.updated')).toMatchObject([{ org_id: org, data: { plan: { id: plan_id, price: 1 } } }]);
});
`,
};
