/** `npm run eval -- agents`: how many of forty jobs an agent does by the MCP server as it is, and what they cost. */
import { parseArgs } from 'node:util';
import { localReceivers } from '../harness/local-receivers.ts';
import { shareWithWorkers } from '../harness/shared-platform.ts';
import { startPlatform } from '../harness/test-platform.ts';
import { jobs } from './jobs/index.ts';
import { modelOf, modelWorker } from './model-worker.ts';
import { type Outcome, runJobs, scripted } from './run-job.ts';
import { World } from './world.ts';

const help = `npm run eval -- agents [--model provider/model] [--only NAME]…

Has an agent do jobs in words, on a platform of its own, and looks whether each is done and nothing else was changed.

  --model provider/model   a model, with PROVIDER_API_KEY in the environment, and PROVIDER_BASE_URL for those that are
                           not anthropic, openai, google or mistral; without it each job's own script is called
  --only NAME              only this job; may be repeated: ${jobs.map(({ name }) => name).join(', ')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: 'string' }, only: { type: 'string', multiple: true }, help: { type: 'boolean' } },
});
const { only = [], model } = values;
const chosen = jobs.filter(({ name }) => only.length === 0 || only.includes(name));
const unknown = only.filter((name) => !jobs.some((job) => job.name === name));

if (values.help || positionals.join() !== 'agents' || unknown.length > 0) {
  console.log(unknown.length > 0 ? `unknown: ${unknown.join(', ')}; see --help` : help);
  process.exitCode = values.help ? 0 : 2;
} else {
  const worker = model === undefined ? scripted : modelWorker(modelOf(model, process.env));
  const manyRequests = { RATE_LIMIT: '100000', SESSION_RATE_LIMIT: '100000' };
  const env = { LOG_LEVEL: 'warn', TRUSTED_PROXIES: '127.0.0.1,::1', ...localReceivers, ...manyRequests };
  await using platform = await startPlatform({ env });
  shareWithWorkers(platform.facts);
  console.log('| Job | Done | Calls | Tokens | ms |\n|---|---|---|---|---|');
  const outcomes = await runJobs(chosen, worker, await World.create(), (outcome) => console.log(row(outcome)));
  const done = outcomes.filter(({ faults }) => faults.length === 0).length;
  const sum = (field: 'calls' | 'tokens' | 'ms') => outcomes.reduce((all, outcome) => all + outcome[field], 0);
  console.log(`| all | ${done} of ${outcomes.length} | ${sum('calls')} | ${sum('tokens')} | ${sum('ms')} |`);
  for (const { job, faults } of outcomes) for (const fault of faults) console.error(`${job}: ${fault}`);
  process.exitCode = done === outcomes.length ? 0 : 1;
}

function row({ job, faults, calls, tokens, ms }: Outcome): string {
  return `| ${job} | ${faults.length === 0 ? 'yes' : 'no'} | ${calls} | ${tokens} | ${ms} |`;
}
