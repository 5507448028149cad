import { defaultLanguage, type Language } from '@webkiln/contract';
import { accountByEmail } from '../accounts/account-store.ts';
import type { OrganizationState } from '../organizations/organization.ts';

/** The language of an organization's mails to an address: its account's, else the organization's, else English. */
export async function mailLanguage(email: string, { language }: Pick<OrganizationState, 'language'>): Promise<Language> {
  const account = email === '' ? null : await accountByEmail(email);
  return account?.language ?? language ?? defaultLanguage;
}
