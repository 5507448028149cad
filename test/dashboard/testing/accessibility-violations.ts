import axe, { type AxeResults } from 'axe-core';
import type { Tab } from './tab.ts';

/** What on the page that is shown stands in the way of people who do not see, or do not use a mouse (WCAG 2.2, by axe-core). */
export async function barriers({ page }: Tab): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${new URL(page.url()).pathname} ${id}: ${html} ${any[0]?.message ?? ''}`),
  );
}
