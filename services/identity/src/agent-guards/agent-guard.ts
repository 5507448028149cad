import { randomUUID } from 'node:crypto';
import type { AgentDecision, AgentQuestion } from '@webkiln/contract';

/** A question as it is stored: what people see of it, and which call it is about. */
export interface StoredQuestion extends Omit<AgentQuestion, 'id' | 'agent' | 'credential' | 'asked_at' | 'ends_at'> {
  readonly id: string;
  /** The hash of the tool and its arguments. */
  readonly call: string;
  readonly asked_at: Date;
  /** The idempotency_key with which the call was made: a repeat of it takes no second effect. */
  readonly repeat_key?: string;
}

/** What a connection has read and asked. */
export interface AgentGuard {
  /** When it last read what others wrote, exact to a minute, and by which tool. */
  readonly read_at: Date | null;
  readonly read_tool: string;
  /** Until when a person lets it change whatever it wants. */
  readonly allowed_until: Date | null;
  readonly questions: readonly StoredQuestion[];
}

export const noGuard: AgentGuard = { read_at: null, read_tool: '', allowed_until: null, questions: [] };

const minuteMs = 60_000;
/** How long an agent asks after it has read; a minute more than is promised, as reads are noted once a minute. */
const asksMs = 16 * minuteMs;
const sessionMs = 15 * minuteMs;
export const questionMs = 60 * minuteMs;
const maxQuestions = 20;

/** A call that writes. */
export interface AgentCall {
  readonly call: string;
  readonly repeat_key: string;
  /** What the person has answered in its client (accept, decline or cancel; else empty), and to which question. */
  readonly question_id: string;
  readonly answer: string;
  /** True if an owner wants to be asked about the tool, whatever the agent has read. */
  readonly is_asked_always: boolean;
}

interface Admission {
  readonly state: 'admitted' | 'unasked' | 'waiting' | 'refused';
  readonly question?: StoredQuestion | undefined;
  /** The questions from now on, if they changed. */
  readonly questions?: readonly StoredQuestion[];
  /** What the person has decided with this call. */
  readonly decided?: 'allowed' | 'refused';
}

const hasRead = ({ read_at }: AgentGuard, now: Date): boolean => read_at !== null && now.getTime() - read_at.getTime() < asksMs;

/** What the connection read that makes it ask; empty if nothing does. */
export const readBy = (guard: AgentGuard, now: Date): string => (hasRead(guard, now) ? guard.read_tool : '');

export const endsAt = ({ asked_at }: StoredQuestion): Date => new Date(asked_at.getTime() + questionMs);
const isLive = (question: StoredQuestion, now: Date): boolean => now < endsAt(question);

export const waitingOf = ({ questions }: AgentGuard, now: Date): StoredQuestion[] =>
  questions.filter((question) => question.state === 'waiting' && isLive(question, now));

const settled = ({ questions }: AgentGuard, id: string, change: Partial<StoredQuestion>): StoredQuestion[] =>
  questions.map((question) => (question.id === id ? { ...question, ...change } : question));

/**
 * Decides whether a call may be made. One that a person has allowed may be made once, and again with the same
 * idempotency_key, which takes no second effect.
 */
export function admit(guard: AgentGuard, { call, repeat_key, question_id, answer, is_asked_always }: AgentCall, now: Date): Admission {
  const { allowed_until, questions } = guard;
  if (!is_asked_always && !hasRead(guard, now)) return { state: 'admitted' };
  if (allowed_until !== null && now < allowed_until) return { state: 'admitted' };
  const question = questions.findLast((each) => each.call === call && isLive(each, now));
  if (question === undefined) return { state: 'unasked' };
  const made = { state: 'done', repeat_key } as const;
  const isAnswered = question.state === 'waiting' && question.id === question_id && (answer === 'accept' || answer === 'decline');
  if (isAnswered && answer === 'accept') {
    return { state: 'admitted', question, questions: settled(guard, question.id, made), decided: 'allowed' };
  }
  if (isAnswered) return { state: 'refused', question, questions: settled(guard, question.id, { state: 'refused' }), decided: 'refused' };
  if (question.state === 'allowed') return { state: 'admitted', question, questions: settled(guard, question.id, made) };
  if (question.state !== 'done') return { state: question.state, question };
  return { state: repeat_key !== '' && question.repeat_key === repeat_key ? 'admitted' : 'unasked', question };
}

type Asked = Pick<StoredQuestion, 'tool' | 'project_id' | 'project' | 'arguments'>;

/** The questions with one more; undefined if too many wait. A repeat of a call that waits finds its question. */
export function ask(
  guard: AgentGuard,
  call: string,
  asked: Asked,
  now: Date,
): { question: StoredQuestion; questions: readonly StoredQuestion[] } | undefined {
  const known = waitingOf(guard, now).find((each) => each.call === call);
  if (known !== undefined) return { question: known, questions: guard.questions };
  const live = guard.questions.filter((each) => isLive(each, now));
  // What is settled makes room, the oldest first.
  const first = live.length < maxQuestions ? -1 : live.findIndex(({ state }) => state === 'done' || state === 'refused');
  if (live.length >= maxQuestions && first === -1) return undefined;
  const question: StoredQuestion = {
    ...{ id: randomUUID(), call, ...asked, read_tool: readBy(guard, now) || null, asked_at: now, state: 'waiting' },
  };
  return { question, questions: [...live.filter((_, at) => at !== first), question] };
}

/** What a decision of a person makes of the guard; null if the question does not wait any more. */
export function decide(guard: AgentGuard, id: string, decision: AgentDecision, now: Date): Partial<AgentGuard> | null {
  if (!waitingOf(guard, now).some((question) => question.id === id)) return null;
  const questions = settled(guard, id, { state: decision === 'refuse' ? 'refused' : 'allowed' });
  return { questions, ...(decision === 'session' && { allowed_until: new Date(now.getTime() + sessionMs) }) };
}
