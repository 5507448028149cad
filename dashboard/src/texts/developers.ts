/** Texts of keys, webhooks, usage and agents. */
import type { DevelopersTexts } from '../../gen/texts.ts';
import json from './en/developers.json';
import { inLanguage } from './language.ts';

export const { webhooks, usage, credits, requests, keys, agents } = inLanguage<DevelopersTexts>(json);
