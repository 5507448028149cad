import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

test('the drill starts under Node alone, without jest, and lists its guarantees', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'main.ts'), '--help']);
  for (const name of ['upgrade', 'restarts', 'neighbours', 'webhooks-arrive']) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
});
