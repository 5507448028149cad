import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

const screens = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
/** Each width and each color scheme once. */
export const looks = [
  ['wide-light', { viewport: screens.wide, colorScheme: 'light' }],
  ['phone-dark', { viewport: screens.phone, colorScheme: 'dark' }],
] as const;

/**
 * Takes screenshots for people to look at, into a folder of test-results that is empty before: with `SCREENSHOTS=1`
 * alone, as drawing them takes a browser longer than what the tests look at.
 */
export function screenshotsIn(name: string): (page: Page, screenshot: string) => Promise<void> {
  if (process.env.SCREENSHOTS === undefined) return async () => undefined;
  const folder = path.resolve(import.meta.dirname, '../../test-results', name);
  rmSync(folder, { recursive: true, force: true });
  return async (page, screenshot) =>
    void (await page.screenshot({ path: path.join(folder, `${screenshot.replaceAll(' ', '-')}.png`), fullPage: true }));
}
