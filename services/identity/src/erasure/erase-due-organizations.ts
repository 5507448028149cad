import { logger } from '@webkiln/runtime';
import { nextStep } from './erasure.ts';
import { organizationsToErase, saveStep } from './erasure-store.ts';

const maxAtOnce = 100;

/** Takes the next step of each erasure that is due; `quietMs`: see `nextStep`. */
export async function eraseDueOrganizations(quietMs: number): Promise<void> {
  const now = new Date();
  for (const organization of await organizationsToErase(now, maxAtOnce)) {
    const step = nextStep(organization, now, quietMs);
    if (step === null) continue;
    await saveStep(organization, step);
    const { erased_at, erasure_round } = step.state;
    logger.info(
      { organization_id: organization._id, round: erasure_round?.number },
      erased_at ? 'organization erased' : 'organization is being erased; services delete what they have',
    );
  }
}
