/** Packs the chart of a release, and pushes and signs it. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { crane, helm, runCommand, supplyProgram, terminalReport } from '../../tools/dev-platform/src/index.ts';
import { Signing } from './signing.ts';
import { version } from './version.ts';

const usage = `node scripts/with-toolchain.mjs scripts/release/chart.ts [options]

Packs deploy/charts/webkiln as webkiln-${version}.tgz, whose images have the same version. With a registry it is pushed as
oci://<HOST>/webkiln/charts/webkiln and signed.

  --out FOLDER      gets the archive (default: dist/release/chart)
  --registry HOST   ghcr.io, or localhost:5000 of \`crane registry serve\`; credentials are those of \`helm registry login\`
  --key FILE        signs by a key of cosign; without it by the identity of the workflow that runs`;

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { registry: text, out: { ...text, default: 'dist/release/chart' }, key: text, help: { type: 'boolean' } },
});
if (values.help) console.log(usage);
else await release();

async function release(): Promise<void> {
  const { registry, out, key } = values;
  const program = await supplyProgram(helm, terminalReport);
  const chart = path.resolve(import.meta.dirname, '../../deploy/charts/webkiln');
  await runCommand(program, ['package', chart, '--version', version, '--app-version', version, '--destination', out]);
  const archive = path.join(out, `webkiln-${version}.tgz`);
  console.log(archive);
  if (registry === undefined) return;
  const repository = `${registry}/webkiln/charts`;
  const plain = registry.startsWith('localhost') ? ['--plain-http'] : [];
  await runCommand(program, ['push', archive, `oci://${repository}`, ...plain]);
  const digest = (await runCommand(await supplyProgram(crane, terminalReport), ['digest', `${repository}/webkiln:${version}`])).trim();
  await (await Signing.with(key)).sign(`${repository}/webkiln@${digest}`);
  console.log(`oci://${repository}/webkiln:${version}  ${digest}`);
}
