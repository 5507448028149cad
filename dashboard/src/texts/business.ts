/** Texts of plans, orders, revenue and subscriptions. */
import type { BusinessTexts } from '../../gen/texts.ts';
import json from './en/business.json';
import { inLanguage } from './language.ts';

export const { plans, orders, revenue, subscription } = inLanguage<BusinessTexts>(json);
