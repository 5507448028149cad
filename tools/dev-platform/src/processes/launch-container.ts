import { createWriteStream } from 'node:fs';
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import type { Running } from './launched.ts';

type Engine = Awaited<ReturnType<typeof getContainerRuntimeClient>>['container']['dockerode'];

interface Contained {
  readonly image: string;
  readonly program: string;
  readonly args: readonly string[];
  /** The same inside and outside the container, because a server may announce its own address. */
  readonly port: number;
  /** Our folder, and its path inside the container. */
  readonly mount: { readonly source: string; readonly target: string };
}

/** A container whose ports are reachable from this machine only, and that is removed when it ends. */
class LocalContainer extends GenericContainer {
  protected override async beforeContainerCreated(): Promise<void> {
    this.hostConfig.AutoRemove = true;
    const bindings = Object.values(this.hostConfig.PortBindings ?? {}) as { HostIp?: string }[][];
    for (const binding of bindings.flat()) binding.HostIp = '127.0.0.1';
  }
}

/**
 * Starts a container that writes to the file descriptor `output` and closes it. Its files belong to the user of this
 * process. testcontainers' reaper removes the container when this process dies.
 */
export async function launchContainer({ image, program, args, port, mount }: Contained, output: number): Promise<Running> {
  const { container: containers } = await getContainerRuntimeClient();
  const label = { 'webkiln.folder': mount.source };
  await removeOrphans(containers.dockerode, label);
  const { SecurityOptions = [] } = await containers.dockerode.info();
  const rootless = (SecurityOptions as string[]).some((option) => option.includes('rootless'));
  const started = await new LocalContainer(image)
    .withEntrypoint([program])
    .withCommand([...args])
    .withUser(rootless ? '0:0' : `${process.getuid?.()}:${process.getgid?.()}`)
    .withBindMounts([mount])
    .withExposedPorts({ container: port, host: port })
    .withLabels(label)
    .withWaitStrategy(Wait.forLogMessage(/./)) // the readiness probe is ours
    .withLogConsumer((stream) => stream.pipe(createWriteStream('', { fd: output })))
    .start();
  const container = containers.getById(started.getId());
  const { State } = await container.inspect();
  const exit = container.wait().then(
    ({ StatusCode }: { StatusCode: number }) => ({ code: StatusCode, signal: null }),
    () => ({ code: null, signal: 'removed' }),
  );
  return { pid: State.Pid || undefined, exit, signal: (signal) => void container.kill({ signal }).catch(() => undefined) };
}

/** Removes the container of a killed run, which uses the data folder until testcontainers' reaper removes it. */
async function removeOrphans(engine: Engine, label: Record<string, string>): Promise<void> {
  const filters = { label: Object.entries(label).map((pair) => pair.join('=')) };
  for (const { Id } of await engine.listContainers({ filters })) await engine.getContainer(Id).remove({ force: true });
}
