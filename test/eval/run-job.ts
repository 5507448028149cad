import type { Agent, ToolResult } from '../harness/agent.ts';
import type { Job, Use } from './job.ts';
import type { State, World } from './world.ts';

/** What an agent cost: `tokens` are its model's, or those of what it read where it has no model. */
export interface Cost {
  readonly calls: number;
  readonly tokens: number;
}

/** What a job came to. */
export interface Outcome extends Cost {
  readonly job: string;
  /** Why it failed; empty if it succeeded. */
  readonly faults: readonly string[];
  readonly ms: number;
}

/** Does a job with the tools of a connection; returns what it answers. */
export type Worker = (job: Job, agent: Agent, world: World) => Promise<Cost & { readonly answer: string }>;

/** The worker without a model: it calls what the script of the job says. */
export const scripted: Worker = async (job, agent, world) => {
  let calls = 0;
  // A model reads the list, and each result; a token is about four bytes.
  let bytes = Buffer.byteLength(JSON.stringify((await agent.ask('tools/list')).expect(200).body.result));
  const use: Use = async (name, args) => {
    calls++;
    const result: ToolResult = await agent.call(name, args);
    bytes += Buffer.byteLength(JSON.stringify(result));
    if (result.isError) throw new Error(`${name}: ${result.content[0]?.text}`);
    return result.structuredContent;
  };
  const answer = await job.script(use, world);
  return { answer, calls, tokens: Math.round(bytes / 4) };
};

/** Has the worker do jobs in turn, and compares the organization before and after each. */
export async function runJobs(jobs: readonly Job[], worker: Worker, world: World, report?: (outcome: Outcome) => void): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const agent = await world.connect();
  let before = await world.state();
  for (const job of jobs) {
    const began = performance.now();
    let did: Awaited<ReturnType<Worker>> = { answer: '', calls: 0, tokens: 0 };
    const faults: string[] = [];
    try {
      did = await worker(job, agent, world);
    } catch (error) {
      faults.push(String(error));
    }
    const ms = Math.round(performance.now() - began);
    const after = await world.state();
    const { answer, calls, tokens } = did;
    if (faults.length === 0) faults.push(...faultsOf(job, world, answer, before, after));
    const outcome = { job: job.name, faults, calls, tokens, ms };
    outcomes.push(outcome);
    report?.(outcome);
    before = after;
  }
  return outcomes;
}

function faultsOf(job: Job, world: World, answer: string, before: State, after: State): string[] {
  const expected = job.answer?.(world);
  const changes = new Map(Object.entries(job.changes?.(world) ?? {}));
  const wanted = (key: string) => changes.get(changes.has(key) ? key : key.replace(/ file .*/, ' file *'));
  const changed = changedKeys(before, after);
  return [
    ...(expected === undefined || expected.test(answer) ? [] : [`it answers ${answer.slice(0, 500)}`]),
    ...changed.filter((key) => wanted(key) === undefined).map((key) => `changed besides: ${key} is ${after.get(key)}`),
    ...[...changes]
      .filter(([key, value]) => !key.endsWith('*') && !(value === null ? !after.has(key) : value.test(after.get(key) ?? '')))
      .map(([key]) => `not done: ${key} is ${after.get(key)}`),
  ];
}

/** The facts that differ, by their keys. */
export const changedKeys = (before: State, after: State): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
