/** Texts of what brings the builder to others: embedding, and links that begin a site. */
import type { EmbeddingTexts } from '../../gen/texts.ts';
import json from './en/embedding.json';
import { inLanguage } from './language.ts';

export const { embedding, build, buildLinks } = inLanguage<EmbeddingTexts>(json);
