import type { StoreModel } from './stored-record.ts';

const models = new Set<StoreModel>();

/** Called for each model whose records have an `org_id`, so that an erasure can leave none out. */
export const registerOrganizationModel = (model: StoreModel): void => void models.add(model);

/** The models of all collections with organizations' records that this process has defined. */
export const organizationModels = (): readonly StoreModel[] => [...models];
