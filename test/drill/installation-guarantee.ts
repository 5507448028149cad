import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { composeSpec, cosign, runCommand, supplyProgram, terminalReport } from '@webkiln/dev-platform';
import { version } from '../../scripts/release/version.ts';
import type { Guarantee } from './guarantee.ts';
import { startChart } from './installed/chart-installation.ts';
import { type Container, Machine } from './installed/machine.ts';
import { type Artifacts, makeRelease } from './installed/release-artifacts.ts';
import { type Installation, useInstallation } from './installed/ten-minutes.ts';

interface Mount {
  readonly type: string;
  readonly source?: string;
  readonly target: string;
  readonly volume?: { readonly subpath?: string };
}
interface Service {
  readonly image: string;
  readonly entrypoint?: string[] | null;
  readonly command?: string[] | null;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly Mount[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly profiles?: readonly string[];
}
interface Model {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

const ports: Readonly<Record<string, number>> = { mongodb: 27_017, nats: 4222, redis: 6379, caddy: 443 };

/** `docker compose up` of compose.yaml alone, in an empty folder: services start in the order that it names. */
async function startCompose(folder: string, { crane, registry, composeFile }: Artifacts): Promise<Installation> {
  mkdirSync(folder, { recursive: true });
  copyFileSync(composeFile, path.join(folder, 'compose.yaml'));
  const program = await supplyProgram(composeSpec, terminalReport);
  const { services, configs } = JSON.parse(
    execFileSync(program, ['-format', 'json', 'compose.yaml'], { cwd: folder, encoding: 'utf8', env: {} }),
  ) as Model;
  const machine = new Machine(folder, crane, registry, Object.keys(services));

  const containerOf = (name: string, service: Service, args = service.command): Container => ({
    name,
    image: service.image,
    ...(name === 'caddy' && { user: '0:0' }),
    // The images of stores and of Caddy run what their command names, and Caddy's says where its data is.
    ...(name in ports ? { command: args ?? [] } : { command: service.entrypoint ?? undefined, args: args ?? [] }),
    env: { ...(name === 'caddy' && { XDG_DATA_HOME: '/data', HOME: '/data' }), ...service.environment },
    mounts: Object.fromEntries([
      ...(service.volumes ?? []).map(({ type, source = '', target, volume }) => [
        target,
        type === 'bind' ? machine.volume('bound') : machine.volume(source, ...(volume?.subpath === undefined ? [] : [volume.subpath])),
      ]),
      ...(service.configs ?? []).map(({ source, target }) => [target, machine.file(source, configs[source]?.content ?? '')]),
    ]),
    port: ports[name],
  });
  const states = new Map<string, Promise<unknown>>();
  const up = (name: string): Promise<unknown> => {
    const state = states.get(name) ?? bring(name, services[name] as Service);
    states.set(name, state);
    return state;
  };
  const isOnce = (name: string) =>
    Object.values(services).some(({ depends_on }) => depends_on?.[name]?.condition === 'service_completed_successfully');
  const bring = async (name: string, service: Service) => {
    await Promise.all(Object.keys(service.depends_on ?? {}).map(up));
    const container = containerOf(name, service);
    await (isOnce(name) ? machine.run(container) : machine.start(container));
  };
  const stop = () => machine[Symbol.asyncDispose]();
  try {
    const started = Object.entries(services).filter(([, { profiles = [] }]) => profiles.length === 0);
    await Promise.all(started.map(([name]) => up(name)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    operator: (...args) => machine.run(containerOf('operator', services.operator as Service, args)),
    origin: 'https://localhost',
    address: machine.addressOf('caddy'),
    authority: path.join(machine.volume('caddy'), 'caddy/pki/authorities/local/root.crt'),
    stop,
  };
}

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
