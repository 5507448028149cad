import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a client prints when it has connected. */
export const connected = 'connected';

/**
 * Runs a client program, which trusts `ca` (PEM) as NODE_EXTRA_CA_CERTS says: node reads that at its start alone. The
 * program gets the URL as its argument, and prints `connected` or its error. Returns what it printed first.
 */
export async function connectionOf(program: string, url: string, ca: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-ca-'));
  const file = path.join(folder, 'ca.pem');
  writeFileSync(file, ca);
  const child = spawn(process.execPath, [program, url], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', NODE_EXTRA_CA_CERTS: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = Promise.withResolvers<string>();
  let text = '';
  child.stdout.on('data', (bytes) => {
    text += bytes;
    if (text.includes('\n')) printed.resolve(text);
  });
  child.on('exit', () => printed.resolve(text));
  try {
    return (await printed.promise).trim();
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}
