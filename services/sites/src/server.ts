import { maintenanceUseCases } from '@webkiln/org-policy';
import { serve, type Verifier } from '@webkiln/rpc';
import { idempotencyGuard } from '@webkiln/store';
import type { SitesConfig } from './config.ts';
import { formUseCases } from './forms/index.ts';
import { submissionQuota } from './forms/intake/quota-store.ts';
import { documentUseCases } from './preview-images/print-pdf.ts';
import type { Screenshotter } from './preview-images/screenshotter.ts';

type Settings = Pick<SitesConfig, 'BIND_ADDRESS' | 'GRPC_PORT'> & {
  readonly verifier: Verifier;
  /** Absent where no Chromium is configured. */
  readonly browser?: Screenshotter | undefined;
};

/** The gRPC server, for other services. */
export const serveSites = ({ verifier, browser, BIND_ADDRESS, GRPC_PORT }: Settings) =>
  serve({
    service: 'sites',
    useCases: [...formUseCases, ...documentUseCases(browser), ...maintenanceUseCases(submissionQuota)],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
