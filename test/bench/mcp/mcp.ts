import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { supplyProgram, wrk } from '@webkiln/dev-platform';
import { closePeers } from '@webkiln/rpc';
import type { Bench } from '../bench.ts';
import { runConcurrently } from '../concurrently.ts';
import { cores, pin } from '../cores.ts';
import { residentMb } from '../cpu.ts';
import { interleave } from '../interleave.ts';
import { connectOperator } from '../organization.ts';
import { startBenchPlatform } from '../platform.ts';
import { figureTable } from '../report.ts';
import type { Target } from '../rest/load.ts';
import { type Seeded, seed } from '../rest/seed.ts';
import { ratio, table } from '../rest/table.ts';
import { type Running, spawnServer } from '../spawn.ts';

const connections = Number(process.env.CONNECTIONS ?? 32);
/** Enough keys to stay below the limit of 100 requests per minute each. */
const keys = Number(process.env.KEYS ?? 3000);
/** Agents that are connected and wait; as many others warm the processes up before. */
const idleAgents = 1000;
/** A process at rest collects its garbage within a minute; after 65 s the gateway closes a connection that waits. */
const settleMs = 61_000;
const ports = { platform: 18_080, stateless: 18_081, session: 18_082 };

const names = {
  list: 'Webkiln: tools/list',
  call: 'Webkiln: tools/call list_plans, no plans',
  refusedCall: 'Webkiln: tools/call get_project without its argument',
  getProject: 'Webkiln: tools/call get_project',
  rest: 'Webkiln: REST GET of the project',
  statelessList: 'official SDK, stateless: tools/list',
  statelessCall: 'official SDK, stateless: tools/call',
  sessionList: 'official SDK, session: tools/list',
  sessionCall: 'official SDK, session: tools/call',
};

const protocol = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};
const ask = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const callOf = (name: string, args: object = {}) => ask('tools/call', { name, arguments: args });

/**
 * Measures the MCP server beside those of the official TypeScript SDK. Ours has two processes in the path, the gateway
 * with authentication and limits, and mcp; they share the core that each peer has for itself.
 */
export async function benchMcp({ rounds, seconds, scratch, log, onStop }: Bench): Promise<void> {
  const wrkProgram = await supplyProgram(wrk, (name, text) => log(`${name}: ${text}`));
  log('starting the platform and its peers …');
  const platform = await startBenchPlatform(path.join(scratch, 'mcp'), ports.platform, {
    NETWORK_CONNECTIONS_MAX: String(2 * idleAgents),
  });
  onStop(() => platform.stop());
  connectOperator(platform);
  onStop(closePeers);
  const { headers, projectId } = await seed(platform, { keys, projects: 1 });
  const peer = async (mode: 'stateless' | 'session') => {
    const [port, url] = [String(ports[mode]), `http://127.0.0.1:${ports[mode]}/ready`];
    const env = { PORT: port, MODE: mode };
    const server = await spawnServer([path.join(import.meta.dirname, 'sdk-server.mjs')], { core: cores.front, url, env });
    onStop(server.stop);
    return server;
  };
  const fronts = ['gateway', 'mcp'].map((name) => platform.processes[name]?.pid ?? 0);
  const url = `${new URL(platform.baseUrl).origin}/api/mcp`;
  log(`${idleAgents} agents connect and wait …`);
  const idleMb = await memoryOfIdleAgents(url, headers, fronts);
  const [stateless, session] = [await peer('stateless'), await peer('session')];
  const front = new Set(['gateway', 'mcp']);
  for (const [name, { pid }] of Object.entries(platform.processes)) pin(pid, front.has(name) ? cores.front : cores.rest);

  const pid = platform.processes.gateway?.pid ?? 0;
  const ours = (name: string, body: string): Target => {
    return { name, url, method: 'POST', body, pid, headers: headers.map((key) => ({ ...key, ...protocol })) };
  };
  const theirs = (name: string, body: string, { pid: own }: Running, port: number, more: Record<string, string> = {}): Target => {
    return { name, url: `http://127.0.0.1:${port}/mcp`, method: 'POST', body, pid: own, headers: [{ ...protocol, ...more }] };
  };
  const inSession = { 'mcp-session-id': await openSession(`http://127.0.0.1:${ports.session}/mcp`) };
  const greet = callOf('greet', { name: 'bench' });
  const targets: Target[] = [
    ours(names.list, ask('tools/list')),
    theirs(names.statelessList, ask('tools/list'), stateless, ports.stateless),
    theirs(names.sessionList, ask('tools/list'), session, ports.session, inSession),
    ours(names.call, callOf('list_plans')),
    theirs(names.statelessCall, greet, stateless, ports.stateless),
    theirs(names.sessionCall, greet, session, ports.session, inSession),
    ours(names.refusedCall, callOf('get_project')),
    ours(names.getProject, callOf('get_project', { project_id: projectId })),
    { name: names.rest, url: `${platform.baseUrl}/projects/${projectId}`, headers, pid },
  ];
  const results = await interleave(targets, { wrk: wrkProgram, scratch, connections, core: cores.rest, seconds, rounds, log });
  const of = (name: string) => results.get(name) ?? [];
  log(`\n${table(results, names.statelessList)}\n`);
  log(
    figureTable([
      ['tools/list ÷ official SDK, stateless', ratio(of(names.list), of(names.statelessList)), '≥ 2'],
      ['tools/list ÷ official SDK, session', ratio(of(names.list), of(names.sessionList)), '≥ 0.9'],
      ['trivial tools/call ÷ official SDK, stateless', ratio(of(names.call), of(names.statelessCall)), '≥ 2'],
      ['trivial tools/call ÷ official SDK, session', ratio(of(names.call), of(names.sessionCall)), '≥ 0.9'],
      ['tools/call that reads no store ÷ official SDK, stateless', ratio(of(names.refusedCall), of(names.statelessCall)), ''],
      ['tools/call that reads no store ÷ official SDK, session', ratio(of(names.refusedCall), of(names.sessionCall)), ''],
      ['tools/call get_project ÷ REST GET of it', ratio(of(names.getProject), of(names.rest)), '≥ 0.7'],
      [`MB of gateway and mcp for ${idleAgents} agents that are connected and wait`, idleMb, '≤ 30'],
    ]),
  );
}

const initialize = ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } });

/** Megabytes by which processes grow for agents that wait, each with a key and a connection of its own. */
async function memoryOfIdleAgents(url: string, headers: Seeded['headers'], pids: readonly number[]): Promise<number> {
  const resident = () => pids.reduce((sum, pid) => sum + residentMb(pid), 0);
  const connectAll = async (from: number) => {
    const connections = Array.from({ length: idleAgents }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    await runConcurrently(idleAgents, async (index) => {
      for (const body of [initialize, ask('tools/list'), callOf('list_plans')]) {
        const sent = request(url, {
          method: 'POST',
          agent: connections[index],
          headers: { ...headers[(from + index) % headers.length], ...protocol },
        });
        sent.end(body);
        const [answer]: IncomingMessage[] = await once(sent, 'response');
        if (answer?.statusCode !== 200) throw new Error(`an agent was answered ${answer?.statusCode}`);
        answer.resume();
        await once(answer, 'end');
      }
    });
    await pause(settleMs);
    return () => {
      for (const connection of connections) connection.destroy();
    };
  };
  const leave = await connectAll(idleAgents);
  leave();
  await pause(settleMs);
  const before = resident();
  const end = await connectAll(0);
  const after = resident();
  end();
  return after - before;
}

async function openSession(url: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: protocol, body: initialize });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}
