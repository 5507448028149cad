import { Change, serviceCaller } from '@webkiln/messages';
import { logger, runPeriodically, type SecretList } from '@webkiln/runtime';
import { saveChange, saveWithRetry, unscoped, where } from '@webkiln/store';
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { accountAuditEvent } from '../../audit/account-audit-event.ts';
import { currentRequest } from '../current-request.ts';
import { matchingFactors, removeFactors, type SecondFactor, SecondFactorModel } from './second-factor-store.ts';
import { type Clause, plainTable, type Row, type Table } from './table.ts';

const plain = plainTable(SecondFactorModel);

/** Replaces the backup codes and raises the audit event in the same write. */
const renewCodes = (clauses: readonly Clause[], changes: Partial<SecondFactor>): Promise<number> =>
  saveWithRetry(serviceCaller('identity'), async () => {
    const found = await matchingFactors(clauses);
    for (const factor of found) {
      const events = [await accountAuditEvent(factor.account_id, 'backup_codes.renewed')];
      await saveChange(SecondFactorModel, serviceCaller('identity'), factor, new Change(changes, events));
    }
    return found.length;
  });

/** The library's `twoFactor` model. */
export const secondFactorTable = (secrets: SecretList): Table => ({
  ...plain,
  find: async (...query) => Promise.all((await plain.find(...query)).map((row) => resealFactor(secrets, row as Row & SecondFactor))),
  change: (clauses, changes) =>
    (currentRequest.getStore()?.path === '/two-factor/generate-backup-codes' ? renewCodes : plain.change)(clauses, changes),
  remove: removeFactors,
});

const everyMs = 10 * 60_000;
const pageSize = 100;

type Factor = Pick<SecondFactor, 'secret' | 'backup_codes'> & { readonly _id: string };

/**
 * Seals a second factor with the first secret, which is the only one that the sign-in library opens with. Returns the
 * fields as stored; those that no listed secret opens stay as they are.
 */
async function resealFactor<F extends Factor>(secrets: SecretList, factor: F): Promise<F> {
  const { _id, secret, backup_codes } = factor;
  const changes = { secret: await renewed(secrets, secret), backup_codes: await renewed(secrets, backup_codes) };
  if (changes.secret === secret && changes.backup_codes === backup_codes) return factor;
  const { matchedCount } = await unscoped(SecondFactorModel).updateOne({ _id, secret, backup_codes }, { $set: changes });
  if (matchedCount === 1) return { ...factor, ...changes };
  const current = await unscoped(SecondFactorModel).findOne({ _id });
  return current === null ? factor : resealFactor(secrets, { ...factor, ...current });
}

async function renewed([first, ...older]: SecretList, sealed: string): Promise<string> {
  if (older.length === 0 || (await opened(first, sealed)) !== undefined) return sealed;
  for (const secret of older) {
    const data = await opened(secret, sealed);
    if (data !== undefined) return symmetricEncrypt({ key: first, data });
  }
  return sealed;
}

const opened = (key: string, data: string): Promise<string | undefined> => symmetricDecrypt({ key, data }).catch(() => undefined);

/** Seals all second factors with the first secret. Afterwards the older ones are not needed for them. */
export async function resealFactors(secrets: SecretList): Promise<void> {
  let resealed = 0;
  const next = (after: string) =>
    unscoped(SecondFactorModel).find({ _id: where({ $gt: after }), removed_at: null }, { sort: { _id: 1 }, limit: pageSize });
  for (let page = await next(''); page.length > 0; page = await next(page.at(-1)?._id ?? '')) {
    for (const factor of page) if ((await resealFactor(secrets, factor)) !== factor) resealed++;
  }
  logger.info({ resealed }, 'resealed second factors with the first of AUTH_SECRET');
}

/** Repeats it while several secrets are listed: replicas that have not restarted yet seal with another one. */
export function keepFactorsResealed(secrets: SecretList): () => void {
  if (secrets.length === 1) return () => undefined;
  return runPeriodically({ everyMs, name: 'resealing second factors' }, () => resealFactors(secrets));
}
