import { checkSite } from '@webkiln/site-check';
import { compose } from './compose.ts';
import { type EditedSite, edit } from './edit/edit.ts';
import { kindNames } from './kinds.ts';
import { languageOf } from './languages.ts';
import { randomFrom } from './random.ts';
import { documentedEdits, documentedLocales } from './testing/documented-edits.ts';

/** Prompts × edits; COMPOSER_EDITS=50x30 is the long run of docs/composer.md. */
const [promptCount = 8, editCount = 12] = (process.env.COMPOSER_EDITS ?? '8x12').split('x').map(Number);
const minUnderstood = 0.9;

const prompts = Array.from({ length: promptCount }, (_, at) => {
  const locale = documentedLocales[at % documentedLocales.length] ?? 'en';
  const kind = kindNames[(at * 5) % kindNames.length] ?? 'bakery';
  return { locale, seed: `many-${at}`, prompt: `${languageOf(locale).kinds[kind].noun} in Lyon` };
});

interface Outcome {
  readonly understood: number;
  readonly findings: readonly unknown[];
}

/** Edits one site again and again, in an order that its seed gives. */
function editOften({ prompt, seed, locale }: (typeof prompts)[number]): Outcome {
  const random = randomFrom(seed);
  let current: Pick<EditedSite, 'site' | 'files'> = compose({ prompt, seed, locale });
  let understood = 0;
  const findings: unknown[] = [];
  for (let count = 0; count < editCount; count += 1) {
    const sentence = documentedEdits[Math.floor(random() * documentedEdits.length)]?.[locale] ?? '';
    const result = edit({ site: current.site, files: current.files, sentence });
    if ('notUnderstood' in result) continue;
    understood += 1;
    current = result;
    findings.push(...checkSite(result.files).map((finding) => ({ sentence, ...finding })));
  }
  return { understood, findings };
}

test(`${promptCount} sites stay whole over ${editCount} edits each, and at least 90 % of the documented edits are understood`, () => {
  const outcomes = prompts.map(editOften);
  expect(outcomes.flatMap(({ findings }) => findings)).toEqual([]);
  const understood = outcomes.reduce((sum, outcome) => sum + outcome.understood, 0);
  expect(understood / (promptCount * editCount)).toBeGreaterThanOrEqual(minUnderstood);
});
