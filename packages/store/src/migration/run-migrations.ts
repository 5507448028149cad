import { createIndexes, missingIndexes } from '../model/indexes.ts';
import { upgradedModels } from '../model/upgraded-models.ts';
import { versionOf } from '../model/upgrades.ts';
import { reportIndexBuilds } from './index-progress.ts';
import type { Migration, Report } from './migration.ts';
import { finishedMigrations, recordFinished } from './migration-records.ts';
import { upgradeDocuments } from './upgrade-documents.ts';

/** Makes the database what this release needs: indexes, the models' documents, then the service's own migrations. */
export async function runMigrations(migrations: readonly Migration[], report: Report): Promise<void> {
  const stopReporting = reportIndexBuilds(report);
  try {
    await createIndexes(async (collection, indexes) => {
      await recordFinished(indexesOf(collection), indexes);
    }, report);
  } finally {
    stopReporting();
  }
  for (const { name, run } of [...modelMigrations(), ...migrations]) {
    await run(report);
    await recordFinished(name);
  }
}

/** The needs of this release that the database lacks, as sentences; empty when it is migrated. */
export async function missingMigrations(migrations: readonly Migration[]): Promise<string[]> {
  const finished = await finishedMigrations();
  const indexes = await missingIndexes((collection, name) => finished.get(indexesOf(collection))?.includes(name) === true);
  const unfinished = [...modelMigrations(), ...migrations].filter(({ name }) => !finished.has(name));
  return [...indexes.map((index) => `index ${index} is missing`), ...unfinished.map(({ name }) => `migration "${name}" is not done`)];
}

const indexesOf = (collection: string) => `indexes of ${collection}`;

const modelMigrations = (): Migration[] =>
  upgradedModels().map((model) => {
    const { collection, upgrades = [] } = model;
    const name = `${collection} of version ${versionOf(upgrades)}`;
    return { name, run: (report) => upgradeDocuments(model, upgrades, name, report) };
  });
