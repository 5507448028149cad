import type { UseCase } from '@webkiln/rpc';
import { moveProjects, openUserProject } from '../building/open-user-project.ts';
import { startBuild } from '../building/start-build.ts';
import { getProjectFile, listProjectFiles, readContent } from '../project-files/read-project-files.ts';
import { deleteProjectFile, writeDraft, writeProjectFile } from '../project-files/write-draft.ts';
import { createProject } from './create-project.ts';
import { deleteProject } from './delete-project.ts';
import { getClientLimits } from './get-client-limits.ts';
import { handOverProject } from './hand-over-project.ts';
import type { PublicAddresses } from './project.ts';
import { getProject, listProjects } from './read-projects.ts';
import { updateProject } from './update-project.ts';

export const projectUseCases = (addresses: PublicAddresses): UseCase[] => [
  listProjects(addresses.siteAddresses),
  createProject(addresses),
  startBuild(addresses),
  getProject(addresses.siteAddresses),
  updateProject(addresses.siteAddresses),
  handOverProject(addresses.siteAddresses),
  deleteProject,
  listProjectFiles,
  getProjectFile,
  readContent,
  writeDraft,
  writeProjectFile,
  deleteProjectFile,
  openUserProject(addresses.siteAddresses),
  moveProjects,
  getClientLimits,
];
