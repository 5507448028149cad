import type { StoreModel } from './stored-record.ts';

const models: StoreModel[] = [];

export function registerUpgradedModel(model: StoreModel): void {
  models.push(model);
}

/** The models defined so far whose documents have versions. */
export const upgradedModels = (): readonly StoreModel[] => models;
