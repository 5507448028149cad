import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const screens = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
/** Each width and each color scheme once. */
export const looks = [
  ['wide-light', { viewport: screens.wide, colorScheme: 'light' }],
  ['phone-dark', { viewport: screens.phone, colorScheme: 'dark' }],
] as const;

/** An empty folder of screenshots for people to look at; returns the path of one by its name. */
export function screenshotFolder(name: string): (screenshot: string) => string {
  const folder = path.resolve(import.meta.dirname, '../../test-results', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return (screenshot) => path.join(folder, `${screenshot.replaceAll(' ', '-')}.png`);
}
