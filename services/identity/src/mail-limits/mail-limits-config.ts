import { maxQuota } from '@webkiln/messages';
import { wholeNumber } from '@webkiln/runtime';
import type * as z from 'zod';
import type { RecipientLimits } from './mail-admission.ts';

const max = 1_000;

/** How many mails one recipient gets, of all organizations; how many a new organization causes. */
export const mailLimitsConfig = {
  MAILS_PER_RECIPIENT_HOUR: wholeNumber(1, max)
    .default(3)
    .describe('Mails of one purpose; those that the recipient asked for are counted apart'),
  MAILS_PER_RECIPIENT_DAY: wholeNumber(1, max)
    .default(10)
    .describe('Mails of all purposes; those that the recipient asked for are counted apart'),
  FORM_MAILS_PER_RECIPIENT_HOUR: wholeNumber(1, max).default(60).describe('Form mails to a recipient with a verified account'),
  FORM_MAILS_PER_RECIPIENT_DAY: wholeNumber(1, max).default(300).describe('Form mails to a recipient with a verified account'),
  QUOTA_MAILS_NEW: wholeNumber(0, maxQuota)
    .default(20)
    .describe('How many mails a day an organization may have in its first 72 hours, unless an operator has set its own limit'),
};

type Settings = { readonly [K in keyof typeof mailLimitsConfig]: z.output<(typeof mailLimitsConfig)[K]> };

export const recipientLimits = (settings: Settings): RecipientLimits => ({
  mails: { perHour: settings.MAILS_PER_RECIPIENT_HOUR, perDay: settings.MAILS_PER_RECIPIENT_DAY },
  agreedForms: { perHour: settings.FORM_MAILS_PER_RECIPIENT_HOUR, perDay: settings.FORM_MAILS_PER_RECIPIENT_DAY },
});
