import { handle } from '@webkiln/rpc';
import { openCreditAccount } from '../credits/credit-account.ts';
import { assertProjectReadable } from '../drafts/project-draft.ts';
import type { Models } from '../providers/models.ts';
import { startTurn } from './start-turn.ts';
import { messagesOf } from './turn.ts';
import type { TurnRunner } from './turn-runner.ts';
import { latestTurns, turnById } from './turn-store.ts';

const resumeTurn = handle('embed.ResumeTurn', async ({ project_id }, caller) => {
  await assertProjectReadable(project_id, caller);
  const [latest] = await latestTurns({ org_id: caller.principal.org_id }, project_id, 1);
  return latest?.running === true ? { turn_id: latest._id } : { turn_id: '', ended_turn_id: latest?._id };
});

const getTurn = handle('embed.GetTurn', async ({ turn_id }, caller) => {
  const turn = await turnById(caller, turn_id);
  return { state: turn?.state ?? '', text: turn?.text ?? '', revision_id: turn?.revision_id ?? undefined };
});

/** Answers when the turn has ended, so that the next message is not refused for it. */
const stopTurn = (runner: TurnRunner) =>
  handle('embed.StopTurn', async ({ project_id }, caller) => {
    await assertProjectReadable(project_id, caller);
    const { hadTurn } = await runner.stopTurnOf({ org_id: caller.principal.org_id }, project_id, caller.signal);
    return { stopped: hadTurn };
  });

const shownTurns = 100;

const listChatMessages = (signUpCredits: number) =>
  handle('embed.ListChatMessages', async ({ project_id }, caller) => {
    await assertProjectReadable(project_id, caller);
    const { org_id, user_id } = caller.principal;
    const turns = await latestTurns({ org_id }, project_id, shownTurns);
    const messages = turns.flatMap(messagesOf);
    // What the agency has left is its members' business.
    const balance = user_id === undefined ? (await openCreditAccount(org_id, signUpCredits)).balance : undefined;
    return { messages, total: messages.length, balance };
  });

export const turnUseCases = (runner: TurnRunner, models: Models, signUpCredits: number) => [
  startTurn(runner, models, signUpCredits),
  resumeTurn,
  getTurn,
  stopTurn(runner),
  listChatMessages(signUpCredits),
];
