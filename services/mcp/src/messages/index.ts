import { handle, type UseCase } from '@webkiln/rpc';
import { answer, type Ways } from './answer.ts';

/** The use cases of agents' messages. */
export const messageUseCases = (ways: Ways): UseCase[] => [
  handle('mcp.Answer', (message, caller) => answer(ways, message, caller)) as UseCase,
  handle('mcp.AnswerWrite', (message, caller) => answer(ways, message, caller)) as UseCase,
];
