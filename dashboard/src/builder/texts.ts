import type { BuilderTexts } from '../../gen/texts.ts';
import json from '../texts/en/builder.json';
import { inLanguage } from '../texts/language.ts';

/** Texts of the builder, grouped by where they appear. */
export const texts = inLanguage<BuilderTexts>(json);
