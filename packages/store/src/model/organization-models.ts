import type { StoreModel } from './stored-record.ts';

const models = new Set<StoreModel>();

/** Called for each model whose records have an `org_id` and go with it, so that an erasure can leave none out. */
export const registerOrganizationModel = (model: StoreModel): void => void models.add(model);

/** The models of all collections with organizations' records that this process has defined. */
export const organizationModels = (): readonly StoreModel[] => [...models];

/** True if an erasure of their organization deletes the model's records. */
export const isErasable = (model: StoreModel): boolean => models.has(model);
