import type { UseCase } from '@webkiln/rpc';
import { createProject } from './create-project.ts';
import { deleteProject } from './delete-project.ts';
import { getProject } from './get-project.ts';
import { getProjectFile } from './get-project-file.ts';
import { listProjectFiles } from './list-project-files.ts';
import { listProjects } from './list-projects.ts';
import { updateProject } from './update-project.ts';
import { writeDraft } from './write-draft.ts';

export const projectUseCases = (origin: string): UseCase[] => [
  listProjects,
  createProject(origin),
  getProject,
  updateProject,
  deleteProject,
  listProjectFiles,
  getProjectFile,
  writeDraft,
];
