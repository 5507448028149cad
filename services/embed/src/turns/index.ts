import type { Models } from '../providers/models.ts';
import { getTurn } from './get-turn.ts';
import { listChatMessages } from './list-chat-messages.ts';
import { resumeTurn } from './resume-turn.ts';
import type { TurnRunner } from './run/turn-runner.ts';
import { startTurn } from './start-turn.ts';
import { stopTurn } from './stop-turn.ts';

export const turnUseCases = (runner: TurnRunner, models: Models, signUpCredits: number) => [
  startTurn(runner, models, signUpCredits),
  resumeTurn,
  getTurn,
  stopTurn(runner),
  listChatMessages(signUpCredits),
];
