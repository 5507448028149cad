import type { UseCase } from '@webkiln/rpc';
import type { SiteAddresses } from '../projects/project.ts';
import { listDeployFiles, listDeploys } from './list-deploys.ts';
import { publishProject, rollBackDeploy } from './publish-project.ts';
import { getSiteContent, identifySite, resolveSite } from './resolve-site.ts';
import { setPreviewImage } from './set-preview-image.ts';

export const deployUseCases = (siteAddresses: SiteAddresses): UseCase[] => [
  publishProject(siteAddresses),
  listDeploys,
  listDeployFiles,
  rollBackDeploy(siteAddresses),
  resolveSite(siteAddresses),
  identifySite,
  getSiteContent,
  setPreviewImage,
];
