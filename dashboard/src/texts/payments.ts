/** Texts of how payments are set up, and of a client's own billing page. */
import type { PaymentsTexts } from '../../gen/texts.ts';
import json from './en/payments.json';
import { inLanguage } from './language.ts';

export const { billing, cardPayments, payments } = inLanguage<PaymentsTexts>(json);
