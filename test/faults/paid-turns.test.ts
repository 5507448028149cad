import type { CreditEntry, Project } from '@webkiln/contract';
import type { ModelAnswer } from '../../services/embed/src/testing/model-answer.ts';
import { ModelServer } from '../../services/embed/src/testing/model-server.ts';
import { scriptedProviders } from '../../services/embed/src/testing/turn-of.ts';
import { makeProject } from '../contract/fixtures.ts';
import { eventually } from '../harness/agency.ts';
import { sendChat } from '../harness/chat.ts';
import { owner, type Person } from '../harness/person.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';

/** `PAID_TURNS=1000` runs as many as the promise names. */
const turnCount = Number(process.env.PAID_TURNS ?? 60);
const killEvery = Math.ceil(turnCount / 3);
const atOnce = 6;
const begin = 1_000_000;

jest.setTimeout(1_800_000);

let model: ModelServer;
let platform: TestPlatform;
let ada: Person;
beforeAll(async () => {
  model = await ModelServer.start();
  const env = { MODEL_PROVIDERS: scriptedProviders(model.url), SIGN_UP_CREDITS: String(begin), SESSION_RATE_LIMIT: '1000000' };
  platform = await startPlatform({ gateways: 2, env });
  ada = await owner({ platform: platform.facts });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** A model that succeeds, breaks off, is cut and is limited in turn; every answer counts 1,200 tokens. */
const answers: readonly ModelAnswer[] = [
  { text: 'Done.' },
  { text: 'I', fails: 'error' },
  { text: 'Done.' },
  { text: 'I', fails: 'cut' },
  { text: 'Done.' },
  { status: 400, body: { error: { message: 'no' } } },
];
const costOfDone = 2;

/** Sends a message until its turn has ended, with one key, also through processes that die. */
async function turnWithRetries(project: Project): Promise<void> {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const send = () => sendChat({ api: ada.api, project }, 'Say that you are done.', headers);
  await eventually(async () => {
    const response = await send();
    const text = await response.text();
    if (response.status !== 200 || !text.trimEnd().endsWith('[DONE]')) throw new Error(`${response.status} ${text.slice(-200)}`);
    // The answer was lost, and the program sends the message again.
    if (Math.random() < 0.2)
      await sendChat({ api: ada.api, project } as Parameters<typeof sendChat>[0], 'Say that you are done.', headers).then((again) =>
        again.text(),
      );
  });
}

/** The whole ledger, oldest line first. */
async function ledger(): Promise<CreditEntry[]> {
  const entries: CreditEntry[] = [];
  for (;;) {
    const { body } = (await ada.api.get(`/account/credits?limit=100&offset=${entries.length}`)).expect(200);
    entries.push(...body.entries);
    if (entries.length >= body.total) return entries.reverse();
  }
}

test('turns with kills, repeats and failures of the provider: the ledger adds up to the balance, and no turn is charged twice', async () => {
  model.play((_request, number) => answers[number % answers.length] ?? {});
  const projects = await Promise.all(Array.from({ length: atOnce }, () => makeProject(ada.api)));
  let begun = 0;
  const work = async (project: Project) => {
    while (begun < turnCount) {
      if (++begun % killEvery === 0) void platform.replace('embed');
      await turnWithRetries(project);
    }
  };
  await Promise.all(projects.map(work));
  await eventually(async () => expect((await ada.api.get('/account/credits')).expect(200).body.reserved).toBe(0));

  const { balance } = (await ada.api.get('/account/credits')).expect(200).body;
  const entries = await ledger();
  let sum = 0;
  for (const entry of entries) {
    sum += entry.amount;
    expect(entry.balance).toBe(sum);
  }
  expect(balance).toBe(sum);

  const states = new Map<string, string>();
  for (const { id } of projects) {
    const { messages } = (await ada.api.get(`/projects/${id}/chat/messages`)).expect(200).body;
    for (const { turn_id, state } of messages) states.set(turn_id, state);
  }
  const ofTurns = Map.groupBy(
    entries.filter(({ turn_id }) => turn_id !== null),
    ({ turn_id }) => turn_id ?? '',
  );
  for (const [turn, lines] of ofTurns) {
    const cost = lines.reduce((total, { amount }) => total - amount, 0);
    expect([turn, lines.map(({ kind }) => kind)]).toEqual([turn, ['reserved', cost === 0 ? 'returned' : 'settled']]);
    if (states.has(turn))
      expect([turn, states.get(turn), cost]).toEqual([turn, states.get(turn), states.get(turn) === 'done' ? costOfDone : 0]);
  }
  expect([...new Set(states.values())]).toEqual(expect.arrayContaining(['done', 'failed']));
  expect(ofTurns.size).toBe(turnCount);
});
