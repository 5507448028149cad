import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Certificate } from './certificates.ts';
import { freePort } from './free-port.ts';

const pollMs = 20;

/** Where a server's own files are, for its options. */
interface Place {
  readonly port: number;
  readonly folder: string;
  /** PEM files of its certificate: the chain, the key, both in one, and the authority. */
  readonly cert: string;
  readonly key: string;
  readonly pair: string;
  readonly ca: string;
}

/** A third-party server with a certificate, as a process of its own that ends with the test. */
export async function startTlsServer(
  program: string,
  { cert, key, ca }: Certificate,
  options: (place: Place) => string[],
): Promise<AsyncDisposable & { readonly port: number }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-server-'));
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    return path.join(folder, name);
  };
  const port = await freePort();
  const files = {
    cert: file('cert.pem', cert),
    key: file('key.pem', key),
    pair: file('pair.pem', `${cert}\n${key}`),
    ca: file('ca.pem', ca),
  };
  const child = spawn(program, options({ port, folder, ...files }), { stdio: 'ignore' });
  const exit = once(child, 'exit');
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode} before it listened`);
    await pause(pollMs);
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(Boolean, () => false);
  socket.destroy();
  return isOpen;
}
