import type { UseCase } from '@webkiln/rpc';
import type { SiteUrl } from '../projects/project.ts';
import { getSiteContent } from './get-site-content.ts';
import { identifySite } from './identify-site.ts';
import { listDeploys } from './list-deploys.ts';
import { publishProject } from './publish-project.ts';
import { resolveSite } from './resolve-site.ts';
import { rollBackDeploy } from './roll-back-deploy.ts';

export const deployUseCases = (siteUrl: SiteUrl): UseCase[] => [
  publishProject(siteUrl),
  listDeploys,
  rollBackDeploy(siteUrl),
  resolveSite,
  identifySite,
  getSiteContent,
];
