/** The program of the threads that look for missing files: authors choose how long parsing a page takes. */
import { parentPort } from 'node:worker_threads';
import { checkReferences, type Finding } from '@webkiln/site-check';
import { pathOf, type RedirectRule, Redirects } from '@webkiln/site-rules';

/** The site to look through: all files, with the contents of pages and styles. */
export interface ReferenceCheck {
  readonly files: ReadonlyMap<string, string>;
  readonly redirects: readonly RedirectRule[];
  readonly maxFindings: number;
}

/** What the platform answers on each site. */
const ofPlatform = /^(?:t\.js|t\.gif|api\/collect|_forms\/.*)$/;

function missing({ files, redirects, maxFindings }: ReferenceCheck): Finding[] {
  const rules = new Redirects(redirects);
  return checkReferences(files, {
    maxFindings,
    isAnswered(path, use) {
      if (ofPlatform.test(path)) return true;
      const answer = rules.answer({ path: pathOf(`/${path}`), query: '', host: '' });
      // A page that is shown for any path is no picture, style or script.
      return answer !== undefined && answer.status !== 404 && (use === 'link' || 'location' in answer);
    },
  });
}

parentPort?.on('message', (check: ReferenceCheck) => parentPort?.postMessage(missing(check)));
parentPort?.postMessage('ready');
