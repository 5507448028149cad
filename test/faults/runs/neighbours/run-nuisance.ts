/** One nuisance in a process of its own: `run-nuisance.ts NAME`, forked by disturb.ts. */
import { type RunningNuisance, startHarm } from './nuisance.ts';
import type { Done, Step } from './nuisance-messages.ts';
import { nuisances } from './nuisances/index.ts';

const nuisance = nuisances.find(({ name }) => name === process.argv[2]);
let running: RunningNuisance | undefined;

async function take(step: Step): Promise<Done> {
  if (step.do === 'prepare') await nuisance?.prepare?.(step.scene);
  if (step.do === 'start' && nuisance) running = await startHarm(nuisance, step.scene);
  return step.do === 'stop' ? { did: await running?.stop() } : { attempts: running?.attempts };
}

process.on('message', async (step: Step) => {
  process.send?.(await take(step).catch((error): Done => ({ error: String(error?.stack ?? error) })));
});
process.on('disconnect', () => process.exit());
