import { hash } from 'node:crypto';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { connectionOf, type PreparedTool, validated } from '@webkiln/agent-tools';
import { AppError, accessError, asksFirst } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { reads, switches } from '../agent-switches.ts';
import type { CallContext } from '../protocol/answers.ts';
import { ownCaller } from '../undo/recorded.ts';
import { ask, type Values } from '../undo/reversals.ts';

/**
 * The tool, as a connection may call it. It asks first if an owner wants that of the tool, and a write after a read of
 * what others wrote; such a read is noted. The ten at the address of the contract ask about what an owner named alone.
 */
export function guarded(tool: PreparedTool, context: CallContext): PreparedTool {
  const noted = reads.noting(tool);
  return {
    ...tool,
    async run(given, caller) {
      const access = await switches.of(caller);
      const isAlways = asksFirst(access, tool.name);
      const mayAsk = !context.selection.isDefault && !tool.isRead && access.can_build && access.should_ask_first;
      const asked = isAlways || mayAsk ? await questionFor(tool, given, isAlways, caller, context) : undefined;
      return asked ?? noted.run(given, caller);
    },
  };
}

/** What the agent is answered in place of its call; undefined if it may make it. Throws why it may not. */
async function questionFor(
  tool: PreparedTool,
  given: unknown,
  is_asked_always: boolean,
  caller: Caller,
  context: CallContext,
): Promise<string | undefined> {
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
    { connection, call: hashed, repeat_key: String(repeat_key), question_id: answered, answer, is_asked_always },
    ownCaller(org_id),
  );
  const { state, read_tool } = admission;
  if (state === 'admitted') return undefined;
  if (state === 'refused') throw new AppError('approval_refused');
  const question = { tool: tool.name, ...(await projectOf(values, caller)), arguments: argumentsOf(values) };
  const question_id =
    state === 'waiting'
      ? admission.question_id
      : (await call('identity.AskForAgentWrite', { connection, call: hashed, question: JSON.stringify(question) }, ownCaller(org_id)))
          .question_id;
  if (question_id === '') throw needed('Too many calls wait already: a person answers some first', context);
  if (context.elicitation !== undefined && answer !== 'cancel') return JSON.stringify(elicitation(question, read_tool, question_id));
  throw needed(`${reasonOf(tool.name, read_tool)}, so a person allows this call first`, context);
}

const reasonOf = (tool: string, read_tool: string): string =>
  read_tool === '' ? `Agents here always ask before ${tool}` : `This agent has read what others wrote (${read_tool})`;

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
  const message = `${reasonOf(tool, read_tool)}. Allow it to call ${tool}${where}, once?\n${values}`;
  return {
    resultType: 'input_required',
    inputRequests: {
      [questionKey]: { method: 'elicitation/create', params: { message, requestedSchema: { type: 'object', properties: {} } } },
    },
    requestState: question_id,
  };
}
