import type { UseCase } from '@webkiln/rpc';
import type { SiteAddresses } from '../projects/site-addresses.ts';
import { getSiteContent } from './get-site-content.ts';
import { identifySite } from './identify-site.ts';
import { listDeployFiles } from './list-deploy-files.ts';
import { listDeploys } from './list-deploys.ts';
import { publishProject } from './publish-project.ts';
import { resolveSite } from './resolve-site.ts';
import { rollBackDeploy } from './roll-back-deploy.ts';
import { setPreviewImage } from './set-preview-image.ts';

export const deployUseCases = (siteAddresses: SiteAddresses): UseCase[] => [
  publishProject(siteAddresses),
  listDeploys,
  listDeployFiles,
  rollBackDeploy(siteAddresses),
  resolveSite,
  identifySite,
  getSiteContent,
  setPreviewImage,
];
