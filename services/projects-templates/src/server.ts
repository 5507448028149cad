import { createVerifier, serve } from '@webkiln/rpc';
import { idempotencyGuard } from '@webkiln/store';
import type { ProjectsTemplatesConfig } from './config.ts';
import { deployUseCases } from './deploys/index.ts';
import { siteUrlsAt } from './deploys/site-url.ts';
import { projectUseCases } from './projects/index.ts';
import { templateUseCases } from './templates/index.ts';

type Settings = Pick<ProjectsTemplatesConfig, 'PRINCIPAL_TRUSTED_KEYS' | 'BIND_ADDRESS' | 'GRPC_PORT' | 'ORIGIN' | 'SITES_ORIGIN'>;

/** Answers everything about projects, templates and their files; store, events and peers must be connected. */
export function serveProjectsTemplates({ PRINCIPAL_TRUSTED_KEYS, BIND_ADDRESS, GRPC_PORT, ORIGIN, SITES_ORIGIN }: Settings) {
  const siteUrl = siteUrlsAt(SITES_ORIGIN);
  return serve({
    service: 'projects-templates',
    useCases: [...projectUseCases({ origin: ORIGIN, siteUrl }), ...deployUseCases(siteUrl), ...templateUseCases],
    verifier: createVerifier({ service: 'projects-templates', trustedKeys: PRINCIPAL_TRUSTED_KEYS }),
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    around: idempotencyGuard,
  });
}
