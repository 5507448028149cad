import { onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { pause } from '@webkiln/runtime';
import type { TurnRunner } from './run/turn-runner.ts';
import { requestStop, runningTurn } from './turn-store.ts';

const pollMs = 50;
const maxWaitMs = 4_000;

/** Answers when the turn has ended, so that the next message is not refused for it; at the latest after 4 s. */
export const stopTurn = (runner: TurnRunner) =>
  handle('embed.StopTurn', async ({ project_id }, caller) => {
    await call('projects.GetProject', { project_id }, onBehalf('embed', caller));
    const scope = { org_id: caller.principal.org_id };
    const turn = await runningTurn(scope, project_id);
    if (turn === null) return { stopped: false };
    await requestStop(scope, turn._id);
    runner.stop(turn._id);
    const waitUntil = Date.now() + maxWaitMs;
    while (Date.now() < waitUntil && (await runningTurn(scope, project_id))?._id === turn._id) await pause(pollMs, caller.signal);
    return { stopped: true };
  });
