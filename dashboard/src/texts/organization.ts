/** Texts of the organization, its members and the account. */
import type { OrganizationTexts } from '../../gen/texts.ts';
import json from './en/organization.json';
import { inLanguage } from './language.ts';

export const { members, limits, organization, models, audit, account, passkeys, languages } = inLanguage<OrganizationTexts>(json);
