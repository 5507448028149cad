/** One nuisance in a process of its own: `run-nuisance.ts NAME`, forked by nuisance-process.ts. */
import type { RunningNuisance } from './nuisance.ts';
import type { Done, Step } from './nuisance-messages.ts';
import { nuisances } from './nuisances/index.ts';

const nuisance = nuisances.find(({ name }) => name === process.argv[2]);
let running: RunningNuisance | undefined;

async function take(step: Step): Promise<Done> {
  if (step.do === 'prepare') await nuisance?.prepare?.(step.scene);
  if (step.do === 'start') running = await nuisance?.start(step.scene);
  if (step.do !== 'stop') return {};
  const did = await running?.stop();
  return { did, attempts: running?.attempts };
}

process.on('message', async (step: Step) => {
  process.send?.(await take(step).catch((error): Done => ({ error: String(error?.stack ?? error) })));
});
process.on('disconnect', () => process.exit());
