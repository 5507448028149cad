import type { UseCase } from '@webkiln/rpc';
import { createTemplate } from './create-template.ts';
import { deleteTemplate } from './delete-template.ts';
import { getTemplate } from './get-template.ts';
import { getTemplateFile } from './get-template-file.ts';
import { listTemplateFiles } from './list-template-files.ts';
import { listTemplates } from './list-templates.ts';
import { updateTemplate } from './update-template.ts';

export const templateUseCases: UseCase[] = [
  listTemplates,
  createTemplate,
  getTemplate,
  updateTemplate,
  deleteTemplate,
  listTemplateFiles,
  getTemplateFile,
];
