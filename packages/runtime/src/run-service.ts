import { createServer, type Server, type ServerResponse } from 'node:http';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { format } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { collectDefaultMetrics, register } from 'prom-client';
import * as z from 'zod';
import { workersCheck } from './concurrency/watched-run.ts';
import { baseConfig } from './config.ts';
import { giveBackAtRest } from './give-back.ts';
import { logger, nameService } from './logger.ts';
import { showRelease } from './metrics.ts';
import { ConfigError, readConfig } from './read-config.ts';
import { within } from './retry.ts';
import { startTls } from './tls.ts';

/** A service that has started. */
export interface RunningService {
  /** The ports it listens on, by name. */
  ports?: Record<string, number>;
  /** Readiness checks; a failing one throws its reason. */
  checks?: Checks;
  /** Additional routes on the internal port, for operators' tools. */
  routes?: InternalRoutes;
  /** Finishes work in flight and releases all resources. */
  stop(): Promise<void>;
}

const stopTimeoutMs = 10_000;
const configExitCode = 78; // EX_CONFIG of sysexits.h

/** Starts a service with its settings. `onWaiting` is told why it is not ready yet, for /readyz. */
type Start<C extends z.ZodObject> = (config: z.output<C>, onWaiting: (reason: string) => void) => Promise<RunningService>;

/** Between looks at the event loop's delay. Each wakes the process: every 10 ms is most of what an idle one does. */
const loopSampleMs = 500;

const restCheckMs = 30_000;

/** Changes what a service has stored, given the words after `migrate`. Returns the exit code. */
type Migrate = (words: readonly string[]) => Promise<number>;

/**
 * Runs a service as this process: health, readiness and metrics on INTERNAL_PORT, traces if configured, and a clean
 * shutdown within 10 s on SIGTERM, SIGINT or the death of its parent. A parent with an IPC channel receives `{ ready:
 * true, ports }`. `main.js migrate` runs `migrate` instead; `main.js config` only says whether its settings are valid.
 */
export async function runService<C extends z.ZodObject>(name: string, settings: C, start: Start<C>, migrate?: Migrate): Promise<void> {
  nameService(name);
  // V8 lets a heap with a low limit grow so little between full collections that a busy gateway would do ten a second.
  setFlagsFromString('--heap-growing-percent=100');
  const [command, ...words] = process.argv.slice(2);
  if (command === 'config') return checkConfig(name, settings);
  if (command === 'migrate' && migrate !== undefined) return runMigrate(name, () => migrate(words));
  // Node and libraries would print plain text.
  const said =
    (level: 'info' | 'warn' | 'error') =>
    (...words: unknown[]) =>
      logger[level]({ said: format(...words) }, 'a library said');
  Object.assign(console, { log: said('info'), info: said('info'), warn: said('warn'), error: said('error') });
  process.removeAllListeners('warning').on('warning', (warning) => logger.warn({ err: warning }, 'warning of Node'));
  process.on('uncaughtException', (error) => fail(error, 'uncaught exception'));
  try {
    const config = readConfig(z.object(baseConfig));
    logger.level = config.LOG_LEVEL;
    startTls(config);
    const internal = new InternalServer();
    const running = new Running(internal, await tracingFor(name, config));
    collectDefaultMetrics({ eventLoopMonitoringPrecision: loopSampleMs });
    showRelease();
    const internalPort = await internal.listen(config.INTERNAL_PORT, config.BIND_ADDRESS);
    const ports = { ...(await running.begin((onWaiting) => start(readConfig(settings), onWaiting))), internal: internalPort };
    logger.info({ ports }, 'started');
    process.send?.({ ready: true, ports });
    // The next start is quicker by what this one has compiled, however this process ends.
    flushCompileCache();
    giveBackAtRest(restCheckMs);
  } catch (error) {
    if (!(error instanceof ConfigError)) fail(error, 'the service did not start');
    refuse(name, error as ConfigError);
  }
}

async function runMigrate(name: string, migrate: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await migrate();
  } catch (error) {
    if (!(error instanceof ConfigError)) fail(error, 'the migration failed; running it again continues it');
    refuse(name, error as ConfigError);
  }
}

function checkConfig(name: string, settings: z.ZodObject): void {
  try {
    readConfig(settings);
    process.stdout.write(`${name}: the settings are valid\n`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    refuse(name, error);
  }
}

function refuse(name: string, { message }: ConfigError): never {
  process.stderr.write(`${name}: ${message}\n`);
  process.exit(configExitCode);
}

function fail(error: unknown, message: string): never {
  logger.fatal({ err: error }, message);
  process.exit(1);
}

class Running {
  readonly #internal: InternalServer;
  readonly #endTracing: () => Promise<void>;
  #service: RunningService | undefined;
  #stopping = false;

  constructor(internal: InternalServer, endTracing: () => Promise<void>) {
    this.#internal = internal;
    this.#endTracing = endTracing;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void this.#stop(signal));
    process.on('disconnect', () => void this.#stop('the parent process is gone'));
  }

  async begin(start: (onWaiting: (reason: string) => void) => Promise<RunningService>): Promise<Record<string, number>> {
    this.#service = await start((reason) => {
      if (!this.#stopping) this.#internal.unready = reason;
    });
    this.#internal.checks = this.#service.checks ?? {};
    this.#internal.routes = this.#service.routes ?? {};
    if (!this.#stopping) this.#internal.unready = undefined;
    return this.#service.ports ?? {};
  }

  async #stop(reason: string): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#internal.unready = 'stopping';
    logger.info({ reason }, 'stopping');
    try {
      await within(stopTimeoutMs, this.#letGo());
    } catch (error) {
      fail(error, 'the service did not stop cleanly');
    }
    logger.info('stopped');
    process.exit(0);
  }

  async #letGo(): Promise<void> {
    await this.#service?.stop();
    await this.#endTracing();
  }
}

type Tracing = Pick<z.output<z.ZodObject<typeof baseConfig>>, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER_ARG'>;

async function tracingFor(service: string, config: Tracing): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: share } = config;
  if (endpoint === undefined) return async () => undefined;
  const { startTracing } = await import('./tracing-sdk.ts');
  return startTracing({ service, endpoint, share });
}

type Checks = Readonly<Record<string, () => Promise<void> | void>>;

export interface InternalAnswer {
  readonly status: number;
  readonly text: string;
}

/** Additional routes on the internal port, by path ("/tls/ask"). */
type InternalRoutes = Readonly<Record<string, (query: URLSearchParams) => Promise<InternalAnswer>>>;

const checkTimeoutMs = 2000;

/** Serves /healthz (alive), /readyz (can serve) and /metrics (Prometheus) to operators and Kubernetes. */
class InternalServer {
  readonly #server: Server;
  /** The reason why the process is not ready; undefined while it is. */
  unready: string | undefined = 'starting';
  checks: Checks = {};
  routes: InternalRoutes = {};

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request.url ?? '', response).catch((error: unknown) => send(response, 500, String(error)));
    });
  }

  /** Returns the port it listens on. */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => this.#server.once('error', reject).listen(port, host, resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async #answer(url: string, response: ServerResponse): Promise<void> {
    if (url === '/healthz') return send(response, 200, 'ok');
    if (url === '/metrics') return send(response, 200, await register.metrics(), register.contentType);
    if (url !== '/readyz') return this.#route(url, response);
    const reasons = this.unready === undefined ? await failing({ ...this.checks, workers: workersCheck }) : [this.unready];
    send(response, reasons.length === 0 ? 200 : 503, reasons.length === 0 ? 'ready' : reasons.join('\n'));
  }

  async #route(url: string, response: ServerResponse): Promise<void> {
    const [path = '', query] = url.split('?', 2);
    const route = Object.hasOwn(this.routes, path) ? this.routes[path] : undefined;
    const { status, text } = route === undefined ? { status: 404, text: 'not found' } : await route(new URLSearchParams(query));
    send(response, status, text);
  }
}

async function failing(checks: Checks): Promise<string[]> {
  const reasons = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await within(checkTimeoutMs, check());
        return [];
      } catch (error) {
        return [`${name}: ${reasonOf(error)}`];
      }
    }),
  );
  return reasons.flat();
}

/** What is behind an error that is worded for callers. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'Content-Type': type });
  response.end(`${body}\n`);
}
