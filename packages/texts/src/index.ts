export { browserLanguage, knownLanguage, languageOf } from './language-of.ts';
export { readTexts } from './read-texts.ts';
