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

interface Place {
  readonly port: number;
  /** Where the server may keep its state; removed with it. */
  readonly folder: string;
}

/** A third-party server of a test, as a process of its own. Resolves when it accepts connections at 127.0.0.1. */
export async function startServer(program: string, options: (place: Place) => string[]): Promise<AsyncDisposable & Place> {
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-server-'));
  const port = await freePort();
  const child = spawn(program, options({ port, folder }), { stdio: 'ignore' });
  const exit = once(child, 'exit');
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode} before it listened`);
    await pause(pollMs);
  }
  return {
    port,
    folder,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes a server's certificate as PEM files: its chain, its key, both in one, and the authority. */
export function writeCertificate(folder: string, { cert, key, ca }: Certificate) {
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    return path.join(folder, name);
  };
  return { cert: file('cert.pem', cert), key: file('key.pem', key), pair: file('pair.pem', `${cert}\n${key}`), ca: file('ca.pem', ca) };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(Boolean, () => false);
  socket.destroy();
  return isOpen;
}
