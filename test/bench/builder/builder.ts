import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ModelServer } from '../../../services/embed/src/testing/model-server.ts';
import { scriptedProviders } from '../../../services/embed/src/testing/turn-of.ts';
import type { Bench } from '../bench.ts';
import { runConcurrently } from '../concurrently.ts';
import { residentMb } from '../cpu.ts';
import { type BenchPlatform, startBenchPlatform } from '../platform.ts';
import { type Figure, figureTable, median } from '../report.ts';

/** An embed session of a user of its own, with an empty project. */
interface Session {
  readonly baseUrl: string;
  readonly projectId: string;
  readonly authorization: string;
}

interface Pair {
  readonly client_id: string;
  readonly client_secret: string;
  readonly user_id: string;
}

async function openSession(baseUrl: string, { client_id, client_secret, user_id }: Pair): Promise<Session> {
  const response = await fetch(new URL('/api/embed/session', baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id, client_secret, user_id }),
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  const { token, project } = (await response.json()) as { token: string; project: { id: string } };
  return { baseUrl, projectId: project.id, authorization: `Bearer ${token}` };
}

/** Sends a message; resolves at the first part of the stream, and `done` when the stream has ended. Times in ms. */
async function startTurn({ baseUrl, projectId, authorization }: Session, message: string) {
  const begun = performance.now();
  const response = await fetch(`${baseUrl}/projects/${projectId}/chat`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body.getReader();
  await reader.read();
  const firstMs = performance.now() - begun;
  const rest = async () => {
    while (!(await reader.read()).done);
    return { firstMs, doneMs: performance.now() - begun };
  };
  return { done: rest() };
}

/** Another reader of the running turn; resolves at its first part. */
async function follow({ baseUrl, projectId, authorization }: Session): Promise<void> {
  const response = await fetch(`${baseUrl}/projects/${projectId}/chat/stream`, { headers: { authorization } });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  await response.body?.getReader().read();
}

const port = 18_140;
const turnsAlone = 20;
const streams = 100;
/** One organization may have 32 turns at work in a process. */
const readersOfATurn = 4;
const settleMs = 3_000;
const ample = { RATE_LIMIT: '1000000', SIGN_UP_CREDITS: '1000000' };
const prompt = 'build a bakery site in Lyon';

/** First bytes and whole turns of the composer, one at a time and 100 at once, and the memory of open streams. */
export async function benchBuilder({ scratch, log, onStop }: Bench): Promise<void> {
  const figures = [...(await composing(path.join(scratch, 'composer'), onStop)), ...(await waiting(path.join(scratch, 'models'), onStop))];
  log(figureTable(figures));
}

type OnStop = Bench['onStop'];

async function composing(dataDir: string, onStop: OnStop): Promise<Figure[]> {
  const platform = await startBenchPlatform(dataDir, port, ample);
  onStop(() => platform.stop());
  const alone: { firstMs: number; doneMs: number }[] = [];
  for (const session of await sessionsOf(platform, dataDir, turnsAlone))
    alone.push(await startTurn(session, prompt).then(({ done }) => done));
  const sessions = await sessionsOf(platform, dataDir, streams);
  const before = memoryOf(platform);
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(platform));
  }, 50);
  const together = await Promise.all(sessions.map((session) => startTurn(session, prompt).then(({ done }) => done)));
  clearInterval(watch);
  return [
    ['first byte of a turn, ms (median)', median(alone.map(({ firstMs }) => firstMs)), '≤ 300'],
    ['whole site of the composer, ms (median)', median(alone.map(({ doneMs }) => doneMs)), ''],
    [`${streams} at once: first byte, ms (median)`, median(together.map(({ firstMs }) => firstMs)), ''],
    [`${streams} at once: all done after, ms`, Math.max(...together.map(({ doneMs }) => doneMs)), ''],
    [`${streams} at once: most memory of gateway and embed for each, MB`, (peak - before) / streams, '≤ 2'],
  ];
}

/** Streams of turns whose model is silent. */
async function waiting(dataDir: string, onStop: OnStop): Promise<Figure[]> {
  const model = await ModelServer.start();
  onStop(() => model[Symbol.asyncDispose]());
  model.play(() => ({ text: 'I begin', fails: 'hang' }));
  const platform = await startBenchPlatform(dataDir, port + 1, { ...ample, MODEL_PROVIDERS: scriptedProviders(model.url) });
  onStop(() => platform.stop());
  const [warm, ...sessions] = await sessionsOf(platform, dataDir, streams / readersOfATurn + 1);
  if (warm !== undefined) await openStream(warm);
  await pause(settleMs);
  const before = memoryOf(platform);
  await Promise.all(sessions.map(openStream));
  for (let more = 1; more < readersOfATurn; more++) await Promise.all(sessions.map((session) => follow(session)));
  await pause(settleMs);
  return [
    [
      `${streams} open streams of ${streams / readersOfATurn} turns: memory of gateway and embed for each, MB`,
      (memoryOf(platform) - before) / streams,
      '≤ 2',
    ],
  ];
}

/** Its end comes with that of the platform. */
async function openStream(session: Session): Promise<void> {
  const { done } = await startTurn(session, prompt);
  done.catch(() => undefined);
}

const memoryOf = ({ processes }: BenchPlatform): number =>
  ['gateway', 'embed'].reduce((sum, name) => sum + residentMb(processes[name]?.pid ?? 0), 0);

function sessionsOf({ baseUrl }: BenchPlatform, dataDir: string, count: number): Promise<Session[]> {
  const { embed } = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8'));
  return runConcurrently(count, () => openSession(baseUrl, { ...embed, user_id: randomUUID() }));
}
