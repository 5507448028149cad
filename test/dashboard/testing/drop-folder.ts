import type { Page } from 'playwright-core';

/** Drops a folder of this machine on the zone for files, as a person does it: playwright itself drops no folders. */
export async function dropFolder(page: Page, folder: string): Promise<void> {
  await page.locator('.upload-zone').scrollIntoViewIfNeeded();
  const { x = 0, y = 0 } = (await page.locator('.upload-zone').boundingBox()) ?? {};
  const browserTools = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await browserTools.send('Input.dispatchDragEvent', { type, x: x + 20, y: y + 20, data });
  }
}
