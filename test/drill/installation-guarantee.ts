import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cosign, runCommand, supplyProgram, terminalReport } from '@webkiln/dev-platform';
import { version } from '../../scripts/release/version.ts';
import type { Guarantee } from './guarantee.ts';
import { startChart } from './installed/chart-installation.ts';
import { startCompose } from './installed/compose-installation.ts';
import { type Artifacts, makeRelease } from './installed/release-artifacts.ts';
import { useInstallation } from './installed/ten-minutes.ts';

/** The ten minutes of a new operator, from what a release has. */
export const installationGuarantee: Guarantee = {
  name: 'installation',
  guarantee: 'from the signed images and chart of a release, compose.yaml and the chart each lead to a signed-in owner and a live site',
  async run() {
    const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-release-'));
    const failures: string[] = [];
    const figures: string[] = [];
    const timed = async (what: string, work: () => Promise<unknown>) => {
      const begin = performance.now();
      await work().catch((error: Error) => failures.push(`${what}: ${error.message}`));
      figures.push(`${what} ${Math.round((performance.now() - begin) / 1000)} s`);
    };
    let release: Artifacts | undefined;
    try {
      await timed('release', async () => {
        release = await makeRelease(path.join(folder, 'release'));
        await verify(release);
      });
      for (const [what, start] of [
        ['compose', startCompose],
        ['chart', startChart],
      ] as const) {
        await timed(what, async () => {
          if (release === undefined) return;
          const installation = await start(path.join(folder, what), release);
          await useInstallation(installation).finally(installation.stop);
        });
      }
    } finally {
      await release?.remove();
      rmSync(folder, { recursive: true, force: true });
    }
    return { seed: 0, tries: 2, figure: figures.join(', '), failures };
  },
};

/** What operators check before they install: who signed an image, what it is made of and how. */
async function verify({ registry, publicKey, crane }: Artifacts): Promise<void> {
  const program = await supplyProgram(cosign, terminalReport);
  const digest = (await runCommand(crane, ['digest', `${registry}/webkiln/gateway:${version}`])).trim();
  const artifact = `${registry}/webkiln/gateway@${digest}`;
  const by = ['--key', publicKey, '--insecure-ignore-tlog'];
  await runCommand(program, ['verify', ...by, artifact]);
  for (const type of ['cyclonedx', 'slsaprovenance1']) await runCommand(program, ['verify-attestation', '--type', type, ...by, artifact]);
}
