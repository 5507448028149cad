import { serviceNames, services } from '../../packages/messages/src/services.ts';
import { type Edits, Refusal } from './edits.ts';

const upperFirst = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`;
/** The packages that the skeleton uses; their versions are those of a service that uses all of them. */
const packages = ['@webkiln/events', '@webkiln/org-policy', '@webkiln/rpc', '@webkiln/runtime', '@webkiln/store', 'zod'];

/** Writes the skeleton of a service that keeps data, with one area of its name. Returns what is left to do. */
export function addService(edits: Edits, name = ''): string[] {
  if (!/^[a-z]+$/.test(name)) throw new Refusal('The name is a word in small letters, as notes.');
  const areas: readonly string[] = Object.values(services).flatMap((service): readonly string[] => service.areas);
  if ((serviceNames as readonly string[]).includes(name) || areas.includes(name))
    throw new Refusal(`There is a service or an area ${name}.`);
  const Config = `${upperFirst(name)}Config`;
  edits.insert('packages/messages/src/services.ts', row(name), '  mcp: {');
  edits.insert(
    'packages/events/src/consumers.ts',
    `  '${name}-erasure': ['internal.organization.erased'],\n`,
    "  'projects-templates-erasure'",
  );
  edits.insert('packages/rpc/src/server/own-calls.ts', `, '${name}'`, ']', "'identity.ReportErasure': [");
  edits.insert('deploy/charts/webkiln/values.yaml', `# …\n${name}: { enabled: true }\n`, 'gateway:\n');
  edits.insertImport(
    'scripts/start.ts',
    `import { ${Config} } from '../services/${name}/src/config.ts';`,
    `../services/${name}/src/config.ts`,
  );
  edits.insert('scripts/start.ts', `, ${Config}`, ']', '[McpConfig');
  edits.create(`protos/webkiln/${name}/v1/${name}.proto`, proto(name));
  const { dependencies } = JSON.parse(edits.read('services/clients-plans/package.json'));
  const used = Object.fromEntries(packages.map((each) => [each, String(dependencies[each])]));
  edits.create(`services/${name}/package.json`, `${JSON.stringify(manifest(name, used), null, 2)}\n`);
  edits.create(`services/${name}/README.md`, `# @webkiln/${name}\n\n…\n`);
  edits.create(`services/${name}/src/config.ts`, config(name, Config));
  edits.create(`services/${name}/src/server.ts`, server(name, Config));
  edits.create(`services/${name}/src/main.ts`, main(name, Config));
  addToLockFile(edits, name, used);
  return [
    'packages/messages/src/services.ts: the services that it calls (peers), and what it needs besides MongoDB and NATS',
    `deploy/charts/webkiln/values.yaml, services/${name}/README.md: what it does, in place of the …`,
    `npm run new -- operation NAME METHOD PATH --area ${name}: a service has at least one`,
    'npm run generate',
  ];
}

const row = (name: string) => `  ${name}: {
    areas: ['${name}'],
    listeners: ['grpc'],
    peers: ['identity'],
    stores: ['mongodb', 'nats'],
    settings: [],
    egress: [],
  },
`;

const proto = (name: string) => `syntax = "proto3";
package webkiln.${name}.v1;

import "webkiln/${name}/v1/records.proto";

service ${upperFirst(name)} {
}
`;

const manifest = (name: string, dependencies: Readonly<Record<string, string>>) => ({
  name: `@webkiln/${name}`,
  version: '0.1.0',
  private: true,
  license: 'Apache-2.0',
  type: 'module',
  dependencies,
});

const config = (name: string, Config: string) => `import { addressesOf } from '@webkiln/rpc';
import { dataServiceConfig, rpcClientConfig } from '@webkiln/runtime';
import * as z from 'zod';

/** The settings of ${name}, read from the environment once at start. */
export const ${Config} = z.object({ ...dataServiceConfig, ...rpcClientConfig, ...addressesOf('${name}') });
export type ${Config} = z.output<typeof ${Config}>;
`;

const server = (name: string, Config: string) => `import { maintenanceUseCases } from '@webkiln/org-policy';
import { serve, type Verifier } from '@webkiln/rpc';
import { idempotencyGuard } from '@webkiln/store';
import type { ${Config} } from './config.ts';

type Settings = Pick<${Config}, 'BIND_ADDRESS' | 'GRPC_PORT'> & { readonly verifier: Verifier };

/** Serves the RPCs of ${name}. The store, events and peers must be connected. */
export const serve${upperFirst(name)} = ({ verifier, BIND_ADDRESS, GRPC_PORT }: Settings) =>
  serve({
    service: '${name}',
    useCases: [...maintenanceUseCases()],
    verifier,
    bind: BIND_ADDRESS,
    port: GRPC_PORT,
    interceptor: idempotencyGuard,
  });
`;

const main = (name: string, Config: string) => `import { closeEvents, connectEvents, eventsOptions } from '@webkiln/events';
import { startErasure } from '@webkiln/org-policy';
import { closePeers, connectPeersOf, createVerifier } from '@webkiln/rpc';
import { type RunningService, runService } from '@webkiln/runtime';
import { connectStoreOf, disconnectStore, migrateCommand, prepareStore, storeCheck } from '@webkiln/store';
import { ${Config} } from './config.ts';
import { serve${upperFirst(name)} } from './server.ts';

async function start(config: ${Config}, onWaiting: (reason: string) => void): Promise<RunningService> {
  await connectStoreOf('${name}', config);
  await prepareStore('${name}', config, { onWaiting });
  await connectEvents(config.NATS_URL, '${name}', eventsOptions(config));
  connectPeersOf('${name}', config);
  startErasure('${name}');
  const verifier = createVerifier({ service: '${name}', trustedKeys: config.PRINCIPAL_TRUSTED_KEYS });
  const server = await serve${upperFirst(name)}({ ...config, verifier });

  return {
    ports: { grpc: server.port },
    checks: { store: storeCheck },
    async stop() {
      await server.drain();
      await closeEvents();
      await closePeers();
      await disconnectStore();
    },
  };
}

await runService('${name}', ${Config}, start, migrateCommand('${name}'));
`;

/** Without it the next npm script would refuse the installation. What the packages need is in the file already. */
function addToLockFile(edits: Edits, name: string, dependencies: Readonly<Record<string, string>>): void {
  const file = 'pnpm-lock.yaml';
  const importers = [...edits.read(file).matchAll(/^ {2}(services\/\S+|test):$/gm)].map(([, importer = '']) => importer);
  const next = importers.find((importer) => importer > `services/${name}`) ?? 'test';
  const entries = Object.entries(dependencies).map(([each, specifier]) => {
    const version = specifier.startsWith('workspace:') ? `link:../../packages/${each.slice(each.indexOf('/') + 1)}` : specifier;
    return `      '${each}':\n        specifier: ${specifier}\n        version: ${version}\n`.replace(/'(\w+)':/, '$1:');
  });
  edits.insert(file, `  services/${name}:\n    dependencies:\n${entries.join('')}\n`, `  ${next}:\n`);
}
