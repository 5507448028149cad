import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** The minified file: it is sent to each page. */
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The accessibility violations of the current page (WCAG 2.2), found by axe-core. */
export async function accessibilityViolations({ page }: { readonly page: Page }): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${new URL(page.url()).pathname} ${id}: ${html} ${any[0]?.message ?? ''}`),
  );
}
