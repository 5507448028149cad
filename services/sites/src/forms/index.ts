import type { UseCase } from '@webkiln/rpc';
import { getFormSettings } from './settings/get-form-settings.ts';
import { resendFormConfirmation } from './settings/resend-form-confirmation.ts';
import { updateFormSettings } from './settings/update-form-settings.ts';
import { deleteSubmission } from './submissions/delete-submission.ts';
import { listForms } from './submissions/list-forms.ts';
import { listSubmissions } from './submissions/list-submissions.ts';
import { updateSubmission } from './submissions/update-submission.ts';

export const formUseCases: UseCase[] = [
  listForms,
  listSubmissions,
  updateSubmission,
  deleteSubmission,
  getFormSettings,
  updateFormSettings,
  resendFormConfirmation,
];
