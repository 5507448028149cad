import { AppError } from '@webkiln/contract';
import { ask } from '../connection.ts';
import { OperatorError } from '../operator-error.ts';
import { Archive } from './archive.ts';
import { filesOf } from './files.ts';
import { asJson } from './pages.ts';
import type { Asker } from './projects.ts';
import { readme } from './readme.ts';
import { recordsOf } from './records.ts';

const callTimeoutMs = 30_000;
const filesPerReport = 1_000;

/** How many records of each kind, and how many files, an archive has. */
export type Counts = Readonly<Record<string, number>>;

/** Writes everything that the organization owns into one ZIP archive, a page and a part of a file at a time. */
export async function exportOrganization(orgId: string, target: string, report: (line: string) => void): Promise<Counts> {
  const asker: Asker = (method, request) => ask(method, request, orgId, callTimeoutMs);
  const { organization } = await asker('identity.ExportOrganization', {});
  const archive = new Archive(target);
  const counts: Record<string, number> = {};
  try {
    await archive.add('organization.json', once(JSON.stringify(organization, null, 2)));
    for (const [kind, records] of Object.entries(recordsOf(asker))) {
      let count = 0;
      await archive.add(
        `${kind}.json`,
        asJson(records(), () => count++),
      );
      counts[kind] = count;
      report(`${kind}: ${count}`);
    }
    let files = 0;
    for await (const { name, content } of filesOf(asker)) {
      await archive.add(name, content);
      if (++files % filesPerReport === 0) report(`files: ${files}, more follow`);
    }
    counts.files = files;
    report(`files: ${files}`);
    const manifest = { organization, exported_at: new Date().toISOString(), counts };
    await archive.add('manifest.json', once(JSON.stringify(manifest, null, 2)));
    await archive.add('README.txt', once(readme(organization?.name ?? '')));
    await archive.close();
    return counts;
  } catch (error) {
    await archive.discard();
    if (error instanceof AppError || !(error instanceof Error) || !('syscall' in error)) throw error;
    throw new OperatorError(`The archive could not be written: ${error.message}. Nothing was left behind.`, { cause: error });
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield `${text}\n`;
}
