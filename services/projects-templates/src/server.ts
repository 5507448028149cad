import { maintenanceUseCases } from '@webkiln/org-policy';
import { serve, type Verifier } from '@webkiln/rpc';
import { idempotencyGuard } from '@webkiln/store';
import type { ProjectsTemplatesConfig } from './config.ts';
import { deployUseCases } from './deploys/index.ts';
import type { Target } from './domains/domain-name.ts';
import { domainQuota } from './domains/domain-store.ts';
import { domainUseCases } from './domains/domain-use-cases.ts';
import type { DomainLookups } from './domains/look-up.ts';
import { draftUseCases } from './drafts/index.ts';
import { exportUseCases } from './export/export-project.ts';
import { storedBytesQuota } from './files/stored-bytes.ts';
import { historyUseCases } from './history/index.ts';
import { pictureUseCases } from './pictures/picture-use-cases.ts';
import { previewUseCases } from './previews/preview-use-cases.ts';
import { projectUseCases } from './projects/index.ts';
import { siteAddressesAt } from './projects/project.ts';
import { projectQuota } from './projects/project-places.ts';
import { siteFinder, takeDownUseCases } from './take-down/take-down-site.ts';
import { templateUseCases } from './templates/template-use-cases.ts';
import { editText } from './texts/edit-text.ts';

type Settings = Pick<
  ProjectsTemplatesConfig,
  'BIND_ADDRESS' | 'GRPC_PORT' | 'ORIGIN' | 'SITES_ORIGIN' | 'PREVIEW_ORIGIN' | 'PREVIEW_SECRET'
> & { readonly verifier: Verifier; readonly target: Target; readonly lookups: DomainLookups };

/** Serves all RPCs of projects, templates and sites. Store, events and peers must be connected. */
export function serveProjectsTemplates({
  verifier,
  BIND_ADDRESS,
  GRPC_PORT,
  ORIGIN,
  SITES_ORIGIN,
  PREVIEW_ORIGIN,
  PREVIEW_SECRET,
  target,
  lookups,
}: Settings) {
  const siteAddresses = siteAddressesAt(SITES_ORIGIN, PREVIEW_ORIGIN);
  const addresses = { origin: ORIGIN, siteAddresses };
  return serve({
    service: 'projects-templates',
    useCases: [
      ...projectUseCases(addresses),
      ...draftUseCases,
      ...historyUseCases,
      editText,
      ...domainUseCases({ target, lookups, addresses: siteAddresses }),
      ...exportUseCases,
      ...deployUseCases(siteAddresses),
      ...pictureUseCases,
      ...previewUseCases(addresses, PREVIEW_SECRET[0]),
      ...takeDownUseCases({ find: siteFinder({ SITES_ORIGIN, PREVIEW_ORIGIN }), addresses: siteAddresses }),
      ...templateUseCases,
      ...maintenanceUseCases(projectQuota, storedBytesQuota, domainQuota),
    ],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
}
