import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Findings, type Outcome } from '../faults/runs/outcome.ts';
import { eventually } from '../harness/agency.ts';
import { embedPair } from '../harness/embed-session.ts';
import { owner } from '../harness/person.ts';
import type { TestPlatform } from '../harness/test-platform.ts';
import { type Guarantee, on } from './guarantee.ts';

const example = path.resolve(import.meta.dirname, '../../examples/nextjs');
const port = 3137;

/** Next.js is too large for the workspace: its example is installed, built and tried here. */
export const nextjsGuarantee: Guarantee = {
  name: 'example-nextjs',
  guarantee: 'the Next.js example installs, builds, and opens the builder for its user',
  run: on({}, openBuilder),
};

async function openBuilder({ facts }: TestPlatform): Promise<Outcome> {
  const [platform = ''] = facts.origins;
  const { client_id, client_secret } = await embedPair(await owner({ platform: facts }), [`http://localhost:${port}`]);
  const cwd = mkdtempSync(path.join(tmpdir(), 'webkiln-nextjs-'));
  cpSync(example, cwd, { recursive: true });
  const settings = { WEBKILN_ORIGIN: platform, WEBKILN_EMBED_CLIENT_ID: client_id, WEBKILN_EMBED_CLIENT_SECRET: client_secret };
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...settings };
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], { cwd, env });
  await promisify(execFile)('npm', ['run', 'build'], { cwd, env });
  const next = spawn('node_modules/.bin/next', ['start', '--port', `${port}`], { cwd, env, stdio: 'ignore' });
  const exit = once(next, 'exit');
  const findings = new Findings();
  try {
    const page = await eventually(async () => (await fetch(`http://localhost:${port}`)).text());
    findings.check(page.includes(`${platform}/embed.js`), 'the page does not load embed.js');
    findings.check(!page.includes(client_secret), 'the page shows the secret');
    const headers = { 'content-type': 'application/json' };
    const opened = await fetch(`http://localhost:${port}/session`, { method: 'POST', headers, body: '{"prompt":"A bakery"}' });
    const { builder_url = '' } = (await opened.json()) as { builder_url?: string };
    findings.check(opened.status === 201 && builder_url.startsWith(`${platform}/builder/`), `opening answered ${opened.status}`);
    findings.check(
      (await fetch(`http://localhost:${port}/session`, { method: 'POST', body: '{}' })).status === 415,
      'a form opens sessions',
    );
  } finally {
    next.kill();
    await exit;
    rmSync(cwd, { recursive: true });
  }
  return { seed: 0, tries: 1, figure: 'installed, built, opened', failures: findings.failures };
}
