import { hash } from 'node:crypto';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { type PreparedTool, validated } from '@webkiln/agent-tools';
import { AppError, accessError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { growingTo } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import { switches } from '../agent-switches.ts';
import type { CallContext } from '../protocol/answers.ts';
import { identityCaller } from '../undo/recorded.ts';
import { ask, type Values } from '../undo/reversals.ts';

/** Where a connection's agents ask before they change anything after they have read what others wrote. */
export async function isGuarded({ caller, selection }: CallContext): Promise<boolean> {
  if (caller === undefined || selection.isDefault) return false;
  const { can_build, should_ask_first } = await switches.of(caller);
  return can_build && should_ask_first;
}

/** A read is noted this seldom; identity waits so much longer. */
const notedMs = 60_000;
const noted = new LRUCache<string, true>({ ...growingTo(10_000), ttl: notedMs });

const connectionOf = ({ principal: { credential_id, kind, agent, account_id = '' } }: Caller) => ({
  ...{ credential_id, credential: kind === 'api_key' ? 'key' : 'oauth', agent: agent ?? 'API key', account_id },
});

/** Notes that the agent reads what others wrote. Once it resolves, every process knows: the text may be told. */
export async function noteRead(tool: string, caller: Caller): Promise<void> {
  const { org_id, credential_id } = caller.principal;
  const key = `${org_id} ${credential_id}`;
  if (noted.has(key)) return;
  await call('identity.MarkAgentRead', { connection: connectionOf(caller), tool }, identityCaller(org_id));
  noted.set(key, true);
}

/** The tool, as a connection may call it that asks first. */
export function guarded(tool: PreparedTool, context: CallContext): PreparedTool {
  if (context.selection.isDefault || (tool.isRead && !tool.tellsOfStrangers)) return tool;
  return {
    ...tool,
    async run(given, caller) {
      if (!(await isGuarded(context))) return tool.run(given, caller);
      const asked = tool.isRead ? undefined : await questionFor(tool, given, caller, context);
      if (asked !== undefined) return asked;
      const json = await tool.run(given, caller);
      if (tool.tellsOfStrangers) await noteRead(tool.name, caller);
      return json;
    },
  };
}

/** What the agent is answered in place of its call; undefined if it may make it. Throws why it may not. */
async function questionFor(tool: PreparedTool, given: unknown, caller: Caller, context: CallContext): Promise<string | undefined> {
  const refusal = accessError(caller.principal, tool.prepared.access);
  if (refusal !== undefined) throw refusal;
  const { idempotency_key: repeat_key = '', ...values } = validated(tool.schema, given);
  const connection = connectionOf(caller);
  const { org_id } = caller.principal;
  const sorted = Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const hashed = hash('sha256', JSON.stringify([tool.name, sorted]), 'base64url');
  const { question_id: answered = '', answer = '' } = context.elicitation ?? {};
  const admission = await call(
    'identity.AdmitAgentWrite',
    { connection, call: hashed, repeat_key: String(repeat_key), question_id: answered, answer },
    identityCaller(org_id),
  );
  const { state, read_tool } = admission;
  if (state === 'admitted') return undefined;
  if (state === 'refused') throw new AppError('approval_refused');
  const question = { tool: tool.name, ...(await projectOf(values, caller)), arguments: argumentsOf(values) };
  const question_id =
    state === 'waiting'
      ? admission.question_id
      : (await call('identity.AskForAgentWrite', { connection, call: hashed, question: JSON.stringify(question) }, identityCaller(org_id)))
          .question_id;
  if (question_id === '') throw needed('Too many changes wait already: a person answers some first', context);
  if (context.elicitation !== undefined && answer !== 'cancel') return JSON.stringify(elicitation(question, read_tool, question_id));
  throw needed(`This agent has read what others wrote (${read_tool}), so a person allows this change first`, context);
}

const needed = (why: string, { origin }: CallContext) =>
  new AppError('approval_needed', [{ path: '', message: `${why}: ask your user to open ${origin}/agents, then repeat this very call` }]);

/** The project that would change, by its name if the agent may read it. */
async function projectOf({ project_id }: Values, caller: Caller): Promise<{ project_id: string | null; project: string | null }> {
  if (typeof project_id !== 'string') return { project_id: null, project: null };
  try {
    const { json } = await ask('getProject', { project_id }, caller);
    return { project_id, project: (JSON.parse(json) as { project: { name: string } }).project.name };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return { project_id, project: null };
    throw error;
  }
}

const maxShown = 200;
const maxArguments = 20;

/** The arguments as a person reads them. */
const argumentsOf = (values: Values) =>
  Object.entries(values)
    .filter(([name]) => name !== 'project_id')
    .slice(0, maxArguments)
    .map(([name, value]) => ({ name, value: shortOf(value) }));

function shortOf(value: unknown): string {
  const text = Array.isArray(value) ? value.map(entryOf).join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown - 1).toWellFormed()}…` : text;
}

function entryOf(value: unknown): string {
  const { path, content } = value as { path?: unknown; content?: unknown };
  if (typeof path === 'string' && typeof content === 'string') return `${path} (${Buffer.byteLength(content)} bytes)`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Question {
  readonly tool: string;
  readonly project: string | null;
  readonly arguments: readonly { readonly name: string; readonly value: string }[];
}

/** The key of the only request in an answer that asks. */
export const questionKey = 'allow';

/** What a client asks its person; every value is quoted, as it is data. */
function elicitation({ tool, project, arguments: named }: Question, read_tool: string, question_id: string): InputRequiredResult {
  const where = project === null ? '' : ` in the website ${JSON.stringify(project)}`;
  const values = named.map(({ name, value }) => `${name}: ${JSON.stringify(value)}`).join('\n');
  const message = `The agent has read what others wrote (${read_tool}). Allow it to call ${tool}${where}, once?\n${values}`;
  return {
    resultType: 'input_required',
    inputRequests: {
      [questionKey]: { method: 'elicitation/create', params: { message, requestedSchema: { type: 'object', properties: {} } } },
    },
    requestState: question_id,
  };
}
