import { foldEmail } from '../accounts/account.ts';
import { accountByEmail } from '../accounts/account-store.ts';
import { hasNames, type Person, withoutNames, withoutPerson } from './audit-entry.ts';
import { entriesAfter, entriesNaming, entriesPerBatch, formerAddresses, interruptAppends, logsNaming, saveReduced } from './audit-store.ts';

/** Removes everything but ids from an organization's log. Returns how many entries had more. */
export async function reduceEntries(org_id: string): Promise<number> {
  for (let last = 0, reduced = 0; ; ) {
    const found = await entriesAfter({ org_id }, last, entriesPerBatch);
    const fuller = found.filter(hasNames);
    await saveReduced(
      org_id,
      fuller.map((entry) => [entry, withoutNames(entry)]),
    );
    reduced += fuller.length;
    last = found.at(-1)?.sequence ?? last;
    if (found.length < entriesPerBatch) return reduced;
  }
}

/**
 * Removes an account's name from the logs of all organizations, with the addresses that it had before. `org_ids` are
 * those in which it may act at the moment. Returns false if `shouldStop` ended it early: a repeat continues.
 */
export async function removePerson(
  { _id, email }: { readonly _id: string; readonly email: string },
  org_ids: readonly string[],
  shouldStop: () => boolean,
): Promise<boolean> {
  const own = await logsNaming(_id);
  for (const org_id of new Set([...own, ...org_ids])) await interruptAppends(org_id);
  const former = await Promise.all(own.map((org_id) => formerAddresses(org_id, _id)));
  const addresses = [foldEmail(email)];
  // An address that it gave up may be somebody else's by now.
  for (const address of new Set(former.flat())) if ((await accountByEmail(address)) === null) addresses.push(address);
  const person = { account_id: _id, addresses };
  // By its id last: the entries that are found by it tell the former addresses to a repeat.
  for (const named of [...person.addresses, _id]) {
    for (const org_id of await logsNaming(named)) {
      if (!(await removeFrom(org_id, named, person, shouldStop))) return false;
    }
  }
  return true;
}

async function removeFrom(org_id: string, named: string, person: Person, shouldStop: () => boolean): Promise<boolean> {
  for (;;) {
    if (shouldStop()) return false;
    const found = await entriesNaming(org_id, named, named === person.account_id ? [] : [person.account_id]);
    await saveReduced(
      org_id,
      found.map((entry) => [entry, withoutPerson(entry, person)]),
    );
    if (found.length < entriesPerBatch) return true;
  }
}
