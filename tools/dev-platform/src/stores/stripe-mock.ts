import { programFromGo } from '../download/go.ts';
import type { Dependency } from './dependency.ts';

const source = 'github.com/stripe/stripe-mock@v0.203.0';

/** Stripe's own check of requests by the OpenAPI description of its API, which is kept beside it as spec3.json. */
export const stripeMock: Dependency = {
  title: 'stripe-mock',
  program: 'stripe-mock',
  download: {
    from: 'Go source',
    folder: 'stripe-mock-0.203.0',
    executable: 'stripe-mock',
    fetch: (folder) => programFromGo(source, ['-ldflags=-s -w'], folder, [`${source}/embedded/openapi/spec3.json`]),
  },
};
