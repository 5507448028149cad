/** Texts of a site's history, in the dashboard and in the builder. */
import type { HistoryTexts } from '../../gen/texts.ts';
import json from './en/history.json';
import { inLanguage } from './language.ts';

export const { history } = inLanguage<HistoryTexts>(json);
