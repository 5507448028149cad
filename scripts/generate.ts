/**
 * Writes the contract's committed documents, and what git ignores: types of the proto messages, of the API for the
 * dashboard, and of the texts that people read, and the generated part of the TypeScript SDK. Only the compiler needs
 * the types. `--types` writes no documents, so that `npm test` cannot hide a stale one.
 */
import { execFileSync } from 'node:child_process';
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { writeOperationRoles } from '../dashboard/operation-roles.ts';
import { commonAreas, services } from '../packages/messages/src/services.ts';
import { writeSdk } from '../sdk/typescript/generate.ts';
import { writeTextTypes } from './texts.ts';

const root = path.resolve(import.meta.dirname, '..');
if (!process.argv.includes('--types'))
  execFileSync(process.execPath, [path.join(root, 'scripts/contract-documents.ts')], { stdio: 'inherit' });

const require = createRequire(path.join(root, 'packages/rpc/package.json'));
const generator = path.join(path.dirname(require.resolve('@grpc/proto-loader/package.json')), 'build/bin/proto-loader-gen-types.js');
const protos = globSync('**/*.proto', { cwd: path.join(root, 'protos') });
const out = path.join(root, 'packages/rpc/gen');

rmSync(out, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [
    generator,
    '--keepCase',
    '--longs=Number',
    '--enums=String',
    '--defaults',
    '--grpcLib=@grpc/grpc-js',
    '--targetFileExtension=.ts',
    '--importFileExtension=.ts',
    `--includeDirs=${path.join(root, 'protos')}`,
    `--outDir=${out}`,
    ...protos,
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);

// The gRPC definition of each area, for the names and types of methods (packages/rpc/src/methods.ts).
const areas = [...Object.values(services).flatMap((service) => service.areas), ...commonAreas];
const named = areas.map((area) => ({ area, service: `${area[0]?.toUpperCase()}${area.slice(1)}` }));
const imports = named.map(({ area, service }) => `import type { ${service}Definition } from './webkiln/${area}/v1/${service}.ts';`);
const members = named.map(({ area, service }) => `  ${area}: ${service}Definition;`);
writeFileSync(path.join(out, 'definitions.ts'), [...imports, '', 'export interface Definitions {', ...members, '}', ''].join('\n'));

const dashboard = path.join(root, 'dashboard');
const manifest = createRequire(path.join(dashboard, 'package.json')).resolve('openapi-typescript/package.json');
const writeTypes = (document: string, output: string, ...options: string[]) => {
  const program = path.join(path.dirname(manifest), 'bin/cli.js');
  execFileSync(process.execPath, [program, document, '--output', output, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
};
writeTypes(path.join(root, 'docs/openapi.json'), path.join(dashboard, 'gen/openapi.ts'));
writeSdk(writeTypes);
writeOperationRoles();
writeTextTypes();
