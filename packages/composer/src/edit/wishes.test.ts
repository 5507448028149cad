import { checkSite } from '@webkiln/site-check';
import { compose } from '../compose.ts';
import { promptsWithWishes, type Result, type Wish } from '../testing/prompts-with-wishes.ts';
import { edit } from './edit.ts';

const minDone = 0.85;

type Outcome = 'done' | 'named' | 'ignored';

/** What visitors read on all pages, in one line per element. */
const textOf = (files: Result['files']): string =>
  [...files]
    .filter(([path]) => path.endsWith('.html'))
    .map(([, page]) =>
      String(page)
        .replace(/<head>[\s\S]*?<\/head>|<footer class="site[\s\S]*?<\/footer>/g, '')
        .replace(/<[^>]+>/g, '')
        .replaceAll('&amp;', '&')
        .replaceAll('&#39;', "'"),
    )
    .join('\n');

const outcomes = promptsWithWishes.map((asked, at) => {
  const before = compose({ prompt: asked.site, seed: `wishes-${at}` });
  const result = edit({ site: before.site, files: before.files, sentence: asked.prompt });
  const answer = 'did' in result ? result.did : result.notUnderstood;
  const [after, files] = 'did' in result ? [result.site, result.files] : [before.site, before.files];
  const judge = ({ isDone, named }: Wish): Outcome => {
    if (isDone?.({ before: before.site, after, files, text: textOf(files) }) === true) return 'done';
    return named.test(answer) ? 'named' : 'ignored';
  };
  return { prompt: asked.prompt, answer, wishes: asked.wishes.map(judge), findings: checkSite(files) };
});
const all = outcomes.flatMap(({ wishes }) => wishes);
const share = (outcome: Outcome) => all.filter((each) => each === outcome).length / all.length;

test('of the wishes of forty messages, every one is done or named as not done, and at least 85 % are done', () => {
  expect(outcomes.filter(({ wishes }) => wishes.includes('ignored'))).toEqual([]);
  expect(share('done')).toBeGreaterThanOrEqual(minDone);
});

test('sites stay whole whatever is wished', () => {
  expect(outcomes.flatMap(({ findings }) => findings)).toEqual([]);
});
