import type { UseCase } from '@webkiln/rpc';
import { getFormSettings, resendFormConfirmation, updateFormSettings } from './settings/manage-form-settings.ts';
import { deleteSubmission, updateSubmission } from './submissions/change-submission.ts';
import { listForms, listSubmissions } from './submissions/read-submissions.ts';

export const formUseCases: UseCase[] = [
  listForms,
  listSubmissions,
  updateSubmission,
  deleteSubmission,
  getFormSettings,
  updateFormSettings,
  resendFormConfirmation,
];
