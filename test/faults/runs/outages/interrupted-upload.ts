import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { File } from '@webkiln/contract';
import type { Browser, Page } from 'playwright-core';
import { makeProject } from '../../../contract/fixtures.ts';
import { dropFolder } from '../../../dashboard/testing/drop-folder.ts';
import { Tab } from '../../../dashboard/testing/tab.ts';
import { eventually } from '../../../harness/agency.ts';
import { owner } from '../../../harness/person.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { Findings, type Outcome } from '../outcome.ts';

/** Base64, and the names of files. */
const bytesSentPerByte = 1.5;
/** A body would take about so long to arrive: its middle is not missed, however late a look at the page comes. */
const uploadMs = 30_000;
const unlimited = -1;
const filesPerFolder = 100;
/** Where a progress bar is at least when an upload is interrupted. */
const middle = 0.05;

interface Size {
  readonly files: number;
  readonly bytes: number;
}

/**
 * A folder is dropped on a page. Whatever interrupts its upload, the draft has all of the files that it had before or
 * all that were dropped; the button that repeats it sends them all.
 */
export async function interruptUploads(platform: TestPlatform, browser: Browser, { files, bytes }: Size): Promise<Outcome> {
  const findings = new Findings();
  const [origin = ''] = platform.facts.origins;
  const ada = await owner({ platform: platform.facts });
  const { id } = await makeProject(ada.api);
  const folder = await mkdtemp(path.join(tmpdir(), 'webkiln-upload-'));
  const digests = await writeSite(folder, { files, bytes });
  const stored = async (): Promise<string[]> =>
    (await eventually(async () => (await ada.api.get(`/projects/${id}/files`)).expect(200))).body.files.map(lineOf).sort();

  let limitTo: (bytesPerSecond: number) => Promise<unknown>;
  const again = (page: Page) => page.getByRole('button', { name: 'Try again' });
  const done = (page: Page) => page.getByRole('tab', { name: `Files (${new Intl.NumberFormat('en').format(files)})` });
  /** Each of them, and how a person repeats the upload then. */
  const interruptions: Readonly<
    Record<string, readonly [interrupt: (page: Page) => Promise<unknown>, repeat: (page: Page) => Promise<void>]>
  > = {
    'a page that was left': [(page) => inTheMiddle(page).then(() => page.reload()), (page) => dropFolder(page, folder)],
    'a gateway that was killed': [(page) => inTheMiddle(page).then(() => platform.replace('gateway')), (page) => again(page).click()],
    'a service that was killed while it stored': [
      async (page) => {
        await inTheMiddle(page);
        await limitTo(unlimited);
        platform.signal('projects-templates', 'SIGSTOP');
        await page.getByText('Storing the files').waitFor();
        await platform.replace('projects-templates');
      },
      // The gateway may have repeated it already.
      async (page) => {
        await again(page).or(done(page)).first().waitFor();
        if (await again(page).isVisible()) await again(page).click();
      },
    ],
  };

  try {
    await using tab = await Tab.open(browser, origin);
    const { page } = tab;
    await tab.signInAs(ada, origin);
    await tab.goTo(`/projects/${id}`);
    const network = await page.context().newCDPSession(page);
    limitTo = (uploadThroughput) =>
      network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
    await limitTo((bytes * bytesSentPerByte * 1000) / uploadMs);
    const since = performance.now();
    await dropFolder(page, folder);
    for (const [what, [interrupt, repeat]] of Object.entries(interruptions)) {
      await interrupt(page);
      const found = await stored();
      findings.check(found.length === 0 || sameLines(found, digests), `after ${what} the draft has ${found.length} of ${files} files`);
      await repeat(page);
    }
    await done(page).waitFor();
    const seconds = (performance.now() - since) / 1000;
    findings.check(sameLines(await stored(), digests), 'the draft does not have what was dropped');
    const figure = `${files} files, ${Math.round(bytes / 1024)} KB: stored whole after ${Object.keys(interruptions).length} interruptions, ${seconds.toFixed(0)} s in all`;
    return { seed: 0, tries: Object.keys(interruptions).length + 1, figure, failures: findings.failures };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Writes a site of random files; returns a line for each, sorted. */
async function writeSite(folder: string, { files, bytes }: Size): Promise<string[]> {
  const lines: string[] = [];
  for (let file = 0; file < files; file++) {
    const name = file === 0 ? 'index.html' : `part-${Math.floor(file / filesPerFolder)}/file-${file}.bin`;
    const content = file === 0 ? Buffer.from('<!doctype html><title>Bread</title><h1>Bread</h1>') : randomBytes(Math.floor(bytes / files));
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
    lines.push(lineOf({ path: name, sha256: createHash('sha256').update(content).digest('hex') }));
  }
  return lines.sort();
}

const lineOf = ({ path: name, sha256 }: Pick<File, 'path' | 'sha256'>) => `${name} ${sha256}`;
const sameLines = (some: readonly string[], others: readonly string[]) => some.join() === others.join();

/** Resolves while the page shows that a part of the files is sent. */
async function inTheMiddle(page: Page): Promise<void> {
  await eventually(async () => {
    const shown = Number(await page.getByRole('progressbar', { name: 'Uploading' }).getAttribute('value', { timeout: 1000 }));
    if (!(shown > middle && shown < 1)) throw new Error(`the progress is at ${shown}`);
  });
}
