/** Texts of the pages before sign-in. */
import type { SignInTexts } from '../../gen/texts.ts';
import json from './en/sign-in.json';
import { inLanguage } from './language.ts';

export const { auth } = inLanguage<SignInTexts>(json);
