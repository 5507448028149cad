import { freePort } from '@webkiln/runtime/testing/free-port';
import { NatsServer } from './nats-server.ts';

interface Member {
  readonly name: string;
  readonly server: NatsServer;
  /** The port at which the others connect to it. */
  readonly routePort: number;
}

/** Servers that are one NATS cluster. Each has a disk of its own. */
export class NatsCluster {
  readonly #members: readonly Member[];
  readonly #joined = new Set<string>();

  private constructor(members: readonly Member[]) {
    this.#members = members;
  }

  /** A cluster whose servers do not run yet, but have their ports. */
  static async notYetStarted(size: number): Promise<NatsCluster> {
    const member = async (_: unknown, index: number): Promise<Member> => ({
      name: `server-${index}`,
      server: await NatsServer.notYetStarted(),
      routePort: await freePort(),
    });
    return new NatsCluster(await Promise.all(Array.from({ length: size }, member)));
  }

  /** The address of one server; clients learn those of the others from it. */
  get url(): string {
    return (this.#members[0] as Member).server.url;
  }

  get names(): string[] {
    return this.#members.map(({ name }) => name);
  }

  /**
   * Starts these servers; the first time they join the cluster. Resolves when JetStream answers at each, for which more
   * than half of those that joined must run.
   */
  async start(names: readonly string[] = this.names): Promise<void> {
    for (const name of names) this.#joined.add(name);
    const routes = [...this.#joined].map((name) => `nats-route://127.0.0.1:${this.#member(name).routePort}`).join(', ');
    const settings = ({ name, routePort }: Member) =>
      `server_name: ${name}\ncluster { name: test, listen: "127.0.0.1:${routePort}", routes: [${routes}] }`;
    const members = names.map((name) => this.#member(name));
    await Promise.all(members.map((member) => member.server.start({ config: settings(member) })));
  }

  /** kill -9 */
  kill(name: string): Promise<void> {
    return this.#member(name).server.kill();
  }

  /** kill -9, and the disk is lost */
  destroy(name: string): Promise<void> {
    return this.#member(name).server.remove();
  }

  async remove(): Promise<void> {
    await Promise.all(this.#members.map(({ server }) => server.remove()));
  }

  #member(name: string): Member {
    const member = this.#members.find((each) => each.name === name);
    if (member === undefined) throw new Error(`the cluster has no server ${name}`);
    return member;
  }
}

/** Starts a cluster: `await startNatsCluster()` is one of three servers. */
export async function startNatsCluster(size = 3): Promise<NatsCluster> {
  const cluster = await NatsCluster.notYetStarted(size);
  await cluster.start();
  return cluster;
}
