/** Types of the proto messages, and of the API for the dashboard; for the compiler alone: nothing of them exists at run time. */
import { execFileSync } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
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

const dashboard = path.join(root, 'dashboard');
const manifest = createRequire(path.join(dashboard, 'package.json')).resolve('openapi-typescript/package.json');
execFileSync(
  process.execPath,
  [
    path.join(path.dirname(manifest), 'bin/cli.js'),
    path.join(root, 'docs/openapi.json'),
    '--output',
    path.join(dashboard, 'gen/openapi.ts'),
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
