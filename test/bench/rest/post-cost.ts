import { setTimeout as pause } from 'node:timers/promises';
import { runConcurrently } from '../concurrently.ts';
import { cpuSeconds } from '../cpu.ts';
import type { BenchPlatform } from '../platform.ts';
import type { Seeded } from './seed.ts';

const posts = 1000;
const followUpServices = ['identity', 'clients-plans'];

/**
 * The CPU time, in ms, that all processes of the platform spend on a POST of a client: the request, and what it causes
 * later (event, audit entry, mail).
 */
export async function cpuPerPost({ baseUrl, processes }: BenchPlatform, { headers }: Pick<Seeded, 'headers'>): Promise<number> {
  const pids = Object.values(processes).map(({ pid }) => pid);
  const before = cpuSeconds(pids);
  await runConcurrently(posts, async (index) => {
    const body = JSON.stringify({ email: `cost-${index}@example.test`, name: 'Client' });
    const init = { method: 'POST', headers: { ...headers[index % headers.length], 'content-type': 'application/json' }, body };
    const response = await fetch(`${baseUrl}/clients`, init);
    if (response.status !== 201) throw new Error(`POST /clients: ${response.status} ${await response.text()}`);
  });
  await followUpDone(processes);
  return ((cpuSeconds(pids) - before) * 1000) / posts;
}

/** Waits until mails and audit entries of new clients and keys are done, since they would distort what comes next. */
export async function followUpDone(processes: BenchPlatform['processes']): Promise<void> {
  const pids = followUpServices.map((name) => processes[name]?.pid ?? 0);
  for (let before = Number.NEGATIVE_INFINITY, now = cpuSeconds(pids); now - before > 0.05; now = cpuSeconds(pids)) {
    before = now;
    await pause(1000);
  }
}
