import { programFromGo } from '../download/go.ts';
import type { Dependency } from './dependency.ts';

const stripeMockSource = 'github.com/stripe/stripe-mock@v0.203.0';
const craneVersion = '0.22.1';
const composeVersion = '2.16.2';
const actionlintVersion = '1.7.12';
const cosignVersion = '2.6.5';
const caddyVersion = '2.11.9';
const small = ['-ldflags=-s -w'];

/** Stripe's own check of requests by the OpenAPI description of its API, which is kept beside it as spec3.json. */
export const stripeMock: Dependency = {
  title: 'stripe-mock',
  program: 'stripe-mock',
  download: {
    from: 'Go source',
    folder: 'stripe-mock-0.203.0',
    executable: 'stripe-mock',
    fetch: (folder) => programFromGo(stripeMockSource, small, folder, [`${stripeMockSource}/embedded/openapi/spec3.json`]),
  },
};

/** Makes and moves container images without an engine; also a small registry. */
export const crane: Dependency = {
  title: 'crane',
  program: 'crane',
  pathVariable: 'CRANE_PATH',
  download: {
    from: 'Go source',
    folder: `crane-${craneVersion}`,
    executable: 'crane',
    fetch: (folder) => programFromGo(`github.com/google/go-containerregistry/cmd/crane@v${craneVersion}`, small, folder),
  },
};

/** The Compose specification's own parser: refuses a file that breaks it, or prints it with its variables filled in. */
export const composeSpec: Dependency = {
  title: 'compose-spec',
  program: 'compose-spec',
  download: {
    from: 'Go source',
    folder: `compose-spec-${composeVersion}`,
    executable: 'cmd',
    fetch: (folder) => programFromGo(`github.com/compose-spec/compose-go/v2/cmd@v${composeVersion}`, small, folder),
  },
};

/** Checks workflows of GitHub Actions. */
export const actionlint: Dependency = {
  title: 'actionlint',
  program: 'actionlint',
  download: {
    from: 'Go source',
    folder: `actionlint-${actionlintVersion}`,
    executable: 'actionlint',
    fetch: (folder) => programFromGo(`github.com/rhysd/actionlint/cmd/actionlint@v${actionlintVersion}`, small, folder),
  },
};

/** The proxy with TLS of compose.yaml. */
export const caddy: Dependency = {
  title: 'Caddy',
  program: 'caddy',
  minimum: [2, 8],
  download: {
    from: 'Go source',
    folder: `caddy-${caddyVersion}`,
    executable: 'caddy',
    fetch: (folder) => programFromGo(`github.com/caddyserver/caddy/v2/cmd/caddy@v${caddyVersion}`, small, folder),
  },
};

/** Signs images and what is said about them. */
export const cosign: Dependency = {
  title: 'cosign',
  program: 'cosign',
  pathVariable: 'COSIGN_PATH',
  download: {
    from: 'Go source',
    folder: `cosign-${cosignVersion}`,
    executable: 'cosign',
    fetch: (folder) => programFromGo(`github.com/sigstore/cosign/v2/cmd/cosign@v${cosignVersion}`, small, folder),
  },
};
