/** Texts of the pages on clients, templates, visits and forms, and of a client's home. */
import type { WorkTexts } from '../../gen/texts.ts';
import json from './en/work.json';
import { inLanguage } from './language.ts';

export const { overview, clients, templates, analytics, forms, portal } = inLanguage<WorkTexts>(json);
