/** Texts of errors, by the code of the API. */
import type { ProblemsTexts } from '../../gen/texts.ts';
import json from './en/problems.json';
import { inLanguage } from './language.ts';

export const { problems } = inLanguage<ProblemsTexts>(json);
