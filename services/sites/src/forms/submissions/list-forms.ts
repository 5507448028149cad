import { wholeListCap } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { projectFor } from '../project-for.ts';
import { summarizeForms } from './submission.ts';
import { submissionTally } from './submission-store.ts';

export const listForms = handle('forms.ListForms', async ({ project_id }, caller) => {
  await projectFor(caller, project_id);
  const forms = summarizeForms(await submissionTally(caller, { project_id })).slice(0, wholeListCap);
  return { forms, total: forms.length };
});
