import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** The accessibility violations of the current page (WCAG 2.2), found by axe-core. */
export async function accessibilityViolations({ page }: { readonly page: Page }): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${new URL(page.url()).pathname} ${id}: ${html} ${any[0]?.message ?? ''}`),
  );
}
