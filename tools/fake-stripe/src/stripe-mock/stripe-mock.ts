import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { stripeMock, supplyDownload } from '@webkiln/dev-platform';

/** A running stripe-mock: it answers with examples, and refuses requests that Stripe's OpenAPI description forbids. */
export interface StripeMock extends AsyncDisposable {
  /** The base of its API. It accepts any key that begins with "sk_test_". */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a stripe-mock, compiled first if the cache has none. */
export async function startStripeMock(): Promise<StripeMock> {
  const child = spawn(await program(), ['-http-addr', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { promise: address, resolve, reject } = Promise.withResolvers<string>();
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`stripe-mock ended with ${code} before it listened`)));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, found] = /^Listening for HTTP at address: (\S+)$/.exec(line) ?? [];
    if (found !== undefined) resolve(found);
  });
  const url = `http://${await address}`;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  };
  return { url, stop, [Symbol.asyncDispose]: stop };
}

/** A JSON schema of the OpenAPI description, as far as tests read it. */
export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Stripe's OpenAPI description, of the version that stripe-mock has. */
export interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<'get' | 'post', DescribedOperation | undefined>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface DescribedOperation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
  readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** Reads the OpenAPI description that comes with stripe-mock. */
export async function readApiDescription(): Promise<ApiDescription> {
  return JSON.parse(await readFile(path.join(path.dirname(await program()), 'spec3.json'), 'utf8')) as ApiDescription;
}

const program = (): Promise<string> => supplyDownload(stripeMock, (part, line) => process.stderr.write(`${part}: ${line}\n`));
