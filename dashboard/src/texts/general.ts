/** Texts of every page: what buttons, pagers, problems and the frame say. */
import type { GeneralTexts } from '../../gen/texts.ts';
import json from './en/general.json';
import { inLanguage } from './language.ts';

export const {
  product,
  documentTitle,
  loading,
  never,
  none,
  justNow,
  byApi,
  snippet,
  graces,
  actions,
  pager,
  pages,
  problem,
  shell,
  roles,
  roleHints,
} = inLanguage<GeneralTexts>(json);
