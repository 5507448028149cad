import type { UseCase } from '@webkiln/rpc';
import { readContent } from '../files/read-content.ts';
import { createProject } from './create-project.ts';
import { deleteProject } from './delete-project.ts';
import { getProject } from './get-project.ts';
import { getProjectFile } from './get-project-file.ts';
import { listProjectFiles } from './list-project-files.ts';
import { listProjects } from './list-projects.ts';
import { moveProjects } from './move-projects.ts';
import { openUserProject } from './open-user-project.ts';
import type { PublicAddresses } from './site-addresses.ts';
import { startBuild } from './start-build.ts';
import { updateProject } from './update-project.ts';
import { writeDraft } from './write-draft.ts';

export const projectUseCases = (addresses: PublicAddresses): UseCase[] => [
  listProjects(addresses.siteAddresses),
  createProject(addresses),
  startBuild(addresses),
  getProject(addresses.siteAddresses),
  updateProject(addresses.siteAddresses),
  deleteProject,
  listProjectFiles,
  getProjectFile,
  readContent,
  writeDraft,
  openUserProject(addresses.siteAddresses),
  moveProjects,
];
