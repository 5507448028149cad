import { type AgentDecision, type AgentQuestion, AppError } from '@webkiln/contract';
import { auditEvent, type Caller, type RaisedEvent } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { assertInternal, currentAccountId } from '../authorize.ts';
import { admit, ask, decide, endsAt, questionMs, readBy, type StoredQuestion, waitingOf } from './agent-guard.ts';
import { type AgentConnection, type AgentGuardRecord, changeGuard, guardsAsking, guardWith } from './agent-guard-store.ts';

const maxShown = 100;

type StatedConnection = Partial<Record<keyof AgentConnection, string>> | null | undefined;

const connectionOf = (stated: StatedConnection): AgentConnection => ({
  credential_id: stated?.credential_id ?? '',
  credential: stated?.credential as 'oauth' | 'key',
  agent: stated?.agent ?? '',
  account_id: stated?.account_id || null,
});

const auditOf = (caller: Caller, state: 'allowed' | 'refused', { id, tool }: StoredQuestion, actor?: Parameters<typeof auditEvent>[3]) =>
  auditEvent(caller, `agents.${state}`, { kind: 'agent_question', id, name: tool }, actor);

/** For the process that runs tools, before it answers what others wrote. */
const markAgentRead = handle('identity.MarkAgentRead', async ({ connection, tool }, caller) => {
  assertInternal(caller);
  await changeGuard(caller, connectionOf(connection), () => ({ result: null, change: { read_at: new Date(), read_tool: tool } }));
  return {};
});

const admitAgentWrite = handle('identity.AdmitAgentWrite', (request, caller) => {
  assertInternal(caller);
  const connection = connectionOf(request.connection);
  return changeGuard(caller, connection, (guard) => {
    const now = new Date();
    const { state, question, questions, decided } = admit(guard, request, now);
    const result = { state, question_id: question?.id ?? '', read_tool: readBy(guard, now) };
    return { result, ...(questions !== undefined && { change: { questions } }), acts: actsOf(caller, connection, question, decided) };
  });
});

/** What a person answered in the client of its agent; of a key nobody knows the person. */
function actsOf(
  caller: Caller,
  { account_id, credential_id, agent }: AgentConnection,
  question: StoredQuestion | undefined,
  decided: 'allowed' | 'refused' | undefined,
): RaisedEvent[] {
  if (question === undefined || decided === undefined) return [];
  const person = account_id === null ? { kind: 'api_key', id: credential_id } : { kind: 'account', id: account_id };
  return [auditOf(caller, decided, question, { ...person, agent })];
}

const askForAgentWrite = handle('identity.AskForAgentWrite', async ({ connection, call, question: json }, caller) => {
  assertInternal(caller);
  const asked = JSON.parse(json) as Pick<StoredQuestion, 'tool' | 'project_id' | 'project' | 'arguments'>;
  return changeGuard(caller, connectionOf(connection), (guard) => {
    const made = ask(guard, call, asked, new Date());
    const result = { question_id: made?.question.id ?? '' };
    const isNew = made !== undefined && made.questions !== guard.questions;
    return { result, ...(isNew && { change: { questions: made.questions } }) };
  });
});

const shown = ({ agent, credential }: AgentConnection, question: StoredQuestion): AgentQuestion => {
  const { call: _call, repeat_key: _key, asked_at, ...seen } = question;
  return { ...seen, agent, credential, asked_at: asked_at.toISOString(), ends_at: endsAt(question).toISOString() };
};

/** Owners answer for everybody; everybody else for its own agents, as what they change is changed with its rights. */
const accountSeenBy = (caller: Caller): string | undefined => (caller.principal.role === 'owner' ? undefined : currentAccountId(caller));

const listAgentQuestions = handle('accounts.ListAgentQuestions', async (_request, caller) => {
  const now = new Date();
  const guards = await guardsAsking(caller, new Date(now.getTime() - questionMs), accountSeenBy(caller));
  const questions = guards
    .flatMap((guard) => waitingOf(guard, now).map((question) => shown(guard, question)))
    .toSorted((one, other) => (one.asked_at < other.asked_at ? 1 : -1))
    .slice(0, maxShown);
  return { questions, total: questions.length };
});

const answerAgentQuestion = handle('accounts.AnswerAgentQuestion', async ({ question_id, decision }, caller) => {
  const own = accountSeenBy(caller);
  const { credential_id, credential, agent, account_id }: AgentGuardRecord = await guardWith(caller, question_id);
  if (own !== undefined && own !== account_id) throw new AppError('agent_question_not_found');
  const connection = { credential_id, credential, agent, account_id };
  return changeGuard(caller, connection, (guard) => {
    const change = decide(guard, question_id, decision as AgentDecision, new Date()) ?? undefined;
    const question = (change ?? guard).questions?.find(({ id }) => id === question_id);
    if (question === undefined) throw new AppError('agent_question_not_found');
    const acts = change === undefined ? [] : [auditOf(caller, decision === 'refuse' ? 'refused' : 'allowed', question)];
    return { result: { question: shown(connection, question) }, change, acts };
  });
});

export const agentGuardUseCases = [markAgentRead, admitAgentWrite, askForAgentWrite, listAgentQuestions, answerAgentQuestion];
