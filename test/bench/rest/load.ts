import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cpuSeconds } from '../cpu.ts';

const run = promisify(execFile);

/** A server under load. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  /** Header sets; requests use them in turn. */
  readonly headers?: readonly Readonly<Record<string, string>>[];
  /** `{{n}}` is replaced by a number unique to the request. */
  readonly body?: string;
  /** The process that answers. Its CPU time is reported as "own CPU". */
  readonly pid: number;
}

export interface Measurement {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly ownCpuMicros: number;
  readonly failures: number;
}

export interface LoadOptions {
  /** Path of the wrk program. */
  readonly wrk: string;
  readonly scratch: string;
  readonly seconds: number;
  readonly connections: number;
  /** The core for the load generator. */
  readonly core: string;
}

const literal = (value: string) => `[==[${value}]==]`;

/** The wrk script. Requests are formatted before the clock starts, which keeps the generator cheap. */
const script = ({ method = 'GET', headers = [{}], body }: Target) => `
local sets = {${headers
  .map(
    (set) =>
      `{${Object.entries(set)
        .map(([name, value]) => `[ ${literal(name)} ]=${literal(value)}`)
        .join(',')}}`,
  )
  .join(',\n')}}
local body, requests, index = ${body === undefined ? 'nil' : literal(body)}, {}, 0
local isFixed = ${!body?.includes('{{n}}')}
local seed = tostring({}):match('0x(%x+)') .. os.time()
function init(args)
  index = math.random(0, #sets - 1)
  if isFixed then for i, set in ipairs(sets) do requests[i] = wrk.format('${method}', nil, set, body) end end
end
function request()
  index = index + 1
  local i = (index - 1) % #sets + 1
  if isFixed then return requests[i] end
  return wrk.format('${method}', nil, sets[i], (body:gsub('{{n}}', seed .. index)))
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('RESULT %d %d %d %d %d %d\\n', summary.requests, summary.duration, latency:percentile(50), latency:percentile(95), latency:percentile(99), e.status + e.connect + e.read + e.write + e.timeout))
end
`;

/** Loads a target in a closed loop for `seconds`. */
export async function measure(target: Target, { wrk, scratch, seconds, connections, core }: LoadOptions): Promise<Measurement> {
  const file = path.join(scratch, 'load.lua');
  writeFileSync(file, script(target));
  const before = cpuSeconds([target.pid]);
  const args = ['-c', core, wrk, '-t1', `-c${connections}`, `-d${seconds}s`, '-s', file, target.url];
  const { stdout } = await run('taskset', args, { maxBuffer: 1024 * 1024 });
  const [requests = 0, micros = 1, p50 = 0, p95 = 0, p99 = 0, failures = 0] = (/RESULT (.*)/.exec(stdout)?.[1] ?? '')
    .split(' ')
    .map(Number);
  if (requests === 0) throw new Error(`${target.name}: no request was answered\n${stdout}`);
  const ownCpuMicros = ((cpuSeconds([target.pid]) - before) * 1e6) / requests;
  return { requestsPerSecond: (requests * 1e6) / micros, p50Ms: p50 / 1000, p95Ms: p95 / 1000, p99Ms: p99 / 1000, ownCpuMicros, failures };
}
