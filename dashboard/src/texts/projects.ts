/** Texts of projects and their files. */
import type { ProjectsTexts } from '../../gen/texts.ts';
import json from './en/projects.json';
import { inLanguage } from './language.ts';

export const { projects, starters, files } = inLanguage<ProjectsTexts>(json);
