import path from 'node:path';
import type { AgentAccess } from '@webkiln/contract';
import { AppError } from '@webkiln/contract';
import type { IncomingCaller, ServiceName } from '@webkiln/messages';
import { closePeers, connectPeers, type Serving, serve } from '@webkiln/rpc';
import { callerOf, keys, type Runs, trustingVerifier, useCasesOf } from '@webkiln/rpc/testing';
import { FastPath, type Handlers } from '../answer.ts';
import { Guides } from '../guides.ts';
import { serverFactory } from '../protocol/handlers.ts';
import { SdkHandler } from '../protocol/sdk-handler.ts';

export const projectId = '00000000-0000-4000-8000-000000000001';
const project = { id: projectId, name: 'Café "Kiln"\u2028', tags: ['a'], status: 'draft' };

/** What each organization lets its agents do; all others, everything. */
const byDefault: AgentAccess = { is_enabled: true, disabled_tools: [], can_build: false, should_ask_first: true, ask_first_tools: [] };
const switches: Readonly<Record<string, AgentAccess>> = {
  'without-plans': { ...byDefault, disabled_tools: ['list_plans'] },
  asking: { ...byDefault, can_build: true },
  'without-agents': { ...byDefault, is_enabled: false },
};

/** An organization of which identity says nothing for now. */
export const withoutIdentity = 'without-identity';

const runs: Runs = {
  'accounts.GetAgentAccess': async (_request, { principal }) => {
    if (principal.org_id === withoutIdentity) throw new AppError('unavailable');
    return { agent_access: switches[principal.org_id] ?? byDefault };
  },
  'identity.MarkAgentRead': async () => {
    throw new AppError('unavailable');
  },
  'identity.AdmitAgentWrite': async () => {
    throw new AppError('unavailable');
  },
  'plans.ListPlans': async () => ({ plans: [], total: 0 }),
  'projects.GetProject': async ({ project_id }) => {
    if (project_id !== projectId) throw new AppError('project_not_found');
    return { project } as never;
  },
  'projects.GetProjectFile': async () => {
    throw new AppError('unavailable');
  },
  'projects.UpdateProject': async () => ({ project }) as never,
};

const served: readonly ServiceName[] = ['identity', 'clients-plans', 'projects-templates'];

/** The handlers of mcp, in front of services that know one project. `await using` ends them. */
export async function runningMcp(): Promise<Handlers & AsyncDisposable> {
  const servers = new Map<ServiceName, Serving>();
  for (const service of served) {
    const verifier = trustingVerifier(service, keys.publicKey);
    servers.set(service, await serve({ service, useCases: useCasesOf(service, runs), verifier, bind: '127.0.0.1', port: 0 }));
  }
  const addresses = Object.fromEntries([...servers].map(([service, { port }]) => [service, `127.0.0.1:${port}`]));
  connectPeers({ issuer: 'test', signingKey: keys.privateKey, transport: 'carried', addresses });
  const guides = new Guides(path.resolve(import.meta.dirname, '../../../../docs'), 'https://webkiln.test');
  const sdkHandler = await SdkHandler.of(serverFactory('https://webkiln.test', guides));
  return {
    origin: 'https://webkiln.test',
    sdkHandler,
    fastPath: await FastPath.of(sdkHandler, guides),
    async [Symbol.asyncDispose]() {
      await closePeers();
      await Promise.all([...servers.values()].map((server) => server.drain()));
    },
  };
}

/** An incoming message's caller, with a key of the organization; without one, nobody with a credential. */
export function incomingOf(org_id: string | undefined): IncomingCaller {
  const { principal, ...caller } = callerOf();
  const kind = org_id === undefined ? 'service' : 'api_key';
  return { ...caller, principal: { ...principal, kind, org_id: org_id ?? '' }, signal: new AbortController().signal };
}
