import type { OrgModel, StoreModel } from './stored-record.ts';

const models = new Set<StoreModel>();

/** Called for each model whose records have an `org_id`, so that neither an erasure nor an export can leave one out. */
export const registerOrganizationModel = (model: StoreModel): void => void models.add(model);

/** The models of all collections with organizations' records that this process has defined. */
export const organizationModels = (): readonly StoreModel[] => [...models];

/** True if an erasure of their organization deletes the model's records. */
export const isErasable = (model: StoreModel): boolean => models.has(model) && model.keptWhenErased !== true;

/** The models of the collections whose records are deleted with their project, and the field with its id. */
export const projectModels = (): readonly (readonly [model: OrgModel<unknown>, field: string])[] =>
  organizationModels().flatMap((model) => (model.ofProject ? [[model as OrgModel<unknown>, model.ofProject] as const] : []));
