import { type AgentCall, type AgentGuard, admit, ask, decide, noGuard, waitingOf } from './agent-guard.ts';

const start = new Date('2026-01-01T00:00:00Z');
const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const read: AgentGuard = { ...noGuard, read_at: start, read_tool: 'list_submissions' };
const asked = { tool: 'create_plan', project_id: null, project: null, arguments: [] };
const made = (call: string, more: Partial<AgentCall> = {}): AgentCall => ({
  ...{ call, repeat_key: '', question_id: '', answer: '', is_asked_always: false },
  ...more,
});

/** The guard once the call has been asked about, and the question. */
function asking(guard: AgentGuard, call: string, at = start) {
  const { question, questions } = ask(guard, call, asked, at) ?? {};
  if (question === undefined || questions === undefined) throw new Error('too many');
  return { id: question.id, guard: { ...guard, questions } };
}
const decided = (guard: AgentGuard, id: string, decision: 'once' | 'session' | 'refuse', at = start): AgentGuard => ({
  ...guard,
  ...decide(guard, id, decision, at),
});

test('a connection asks for 15 minutes after it has read what others wrote, and at no other time', () => {
  expect(admit(noGuard, made('a'), start).state).toBe('admitted');
  expect(admit(read, made('a'), after(15)).state).toBe('unasked');
  expect(admit(read, made('a'), after(16)).state).toBe('admitted');
  expect(admit({ ...read, read_at: after(10) }, made('a'), after(16)).state).toBe('unasked');
});

test('a call of a tool that is always asked about is, whatever the connection has read, until a person allows it', () => {
  const always = { is_asked_always: true };
  expect(admit(noGuard, made('a', always), start).state).toBe('unasked');
  const { id, guard } = asking(noGuard, 'a');
  expect(guard.questions[0]?.read_tool).toBeNull();
  expect(admit(decided(guard, id, 'once'), made('a', always), start).state).toBe('admitted');
  expect(admit(decided(guard, id, 'session'), made('b', always), after(14)).state).toBe('admitted');
  expect(admit(decided(guard, id, 'session'), made('b', always), after(15)).state).toBe('unasked');
});

test('a permission for once is for one call, one for the session for 15 minutes, and a refusal for that call', () => {
  const { id, guard } = asking(read, 'a');
  expect(admit(guard, made('a'), start).state).toBe('waiting');
  const once = decided(guard, id, 'once');
  expect(admit(once, made('b'), start).state).toBe('unasked');
  const { state, questions = [] } = admit(once, made('a', { repeat_key: 'k' }), start);
  const used = { ...once, questions };
  expect(state).toBe('admitted');
  expect(admit(used, made('a'), start).state).toBe('unasked');
  expect(admit(used, made('a', { repeat_key: 'k' }), start).state).toBe('admitted');
  const session = { ...decided(guard, id, 'session', start), read_at: after(14) };
  expect([14, 15].map((minutes) => admit(session, made('b'), after(minutes)).state)).toEqual(['admitted', 'unasked']);
  expect(admit(decided(guard, id, 'refuse'), made('a'), start).state).toBe('refused');
  expect(decide(once, id, 'refuse', start)).toBeNull();
});

test('an answer in the client counts for the question that it was asked, about this call', () => {
  const { id, guard } = asking(read, 'a');
  const other = asking(guard, 'b');
  expect(admit(other.guard, made('b', { question_id: id, answer: 'accept' }), start).state).toBe('waiting');
  expect(admit(guard, made('a', { question_id: 'x', answer: 'accept' }), start).state).toBe('waiting');
  expect(admit(guard, made('a', { question_id: id, answer: 'cancel' }), start).state).toBe('waiting');
  expect(admit(guard, made('a', { question_id: id, answer: 'accept' }), start)).toMatchObject({ state: 'admitted', decided: 'allowed' });
  expect(admit(guard, made('a', { question_id: id, answer: 'decline' }), start)).toMatchObject({ state: 'refused', decided: 'refused' });
});

test('20 questions wait at most, each for an hour; a call that waits is asked about once', () => {
  let guard = read;
  for (let at = 0; at < 20; at++) guard = asking(guard, `call ${at}`).guard;
  expect(asking(guard, 'call 3').guard.questions).toHaveLength(20);
  expect(ask(guard, 'one more', asked, start)).toBeUndefined();
  const first = guard.questions[0]?.id ?? '';
  expect(asking(decided(guard, first, 'refuse'), 'one more').guard.questions).toHaveLength(20);
  expect(waitingOf(guard, after(60))).toEqual([]);
  expect(decide(guard, first, 'once', after(60))).toBeNull();
  expect(asking(guard, 'one more', after(60)).guard.questions).toHaveLength(1);
});
