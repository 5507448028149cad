import type { UseCase } from '@webkiln/rpc';
import { deleteSubmission } from './delete-submission.ts';
import { getFormSettings } from './get-form-settings.ts';
import { listForms } from './list-forms.ts';
import { listSubmissions } from './list-submissions.ts';
import { updateFormSettings } from './update-form-settings.ts';
import { updateSubmission } from './update-submission.ts';

export const formUseCases: UseCase[] = [
  listForms,
  listSubmissions,
  updateSubmission,
  deleteSubmission,
  getFormSettings,
  updateFormSettings,
];
