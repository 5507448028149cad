import type mongoose from 'mongoose';

/** Makes documents of one version those of the next. It runs at each read of an old document, and in `migrate`. */
export interface Upgrade<Given = Record<string, unknown>> {
  /** The fields that `upgrade` needs. */
  readonly reads: readonly (keyof Given & string)[];
  /** Returns the fields that the next version has in addition, or has changed. */
  upgrade(document: Partial<Given>): Partial<Given>;
}

type Document = Record<string, unknown>;

/** The version of a document. One without it is of version 1. */
export const versionField = 'schema_version';

/** The version that a collection's code writes. */
export const versionOf = (upgrades: readonly Upgrade[]): number => upgrades.length + 1;

/** The fields that make a document of the present version; none if it is. A newer release's document stays as it is. */
export function upgradeOf(upgrades: readonly Upgrade[], document: Document): Document {
  const version = Number(document[versionField] ?? 1);
  let changes: Document = {};
  for (const { upgrade } of upgrades.slice(version - 1)) changes = { ...changes, ...upgrade({ ...document, ...changes }) };
  return version < versionOf(upgrades) ? { ...changes, [versionField]: versionOf(upgrades) } : {};
}

/** Makes every read of the schema's documents return the present version. */
export function upgradeReads(schema: mongoose.Schema<Document>, upgrades: readonly Upgrade[]): void {
  const needed = [versionField, ...upgrades.flatMap(({ reads }) => reads)];
  schema.pre(['find', 'findOne'], function () {
    if (this.selectedInclusively()) this.select(needed);
  });
  schema.post(['find', 'findOne'], (found: Document | readonly Document[] | null) => {
    for (const document of [found ?? []].flat()) Object.assign(document, upgradeOf(upgrades, document));
  });
}
