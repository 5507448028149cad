import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { availableLanguages, type Language } from './example-languages.ts';
import { receiverKeepsGuarantees } from './receiver-guarantees.ts';

const buildTimeoutMs = 300_000;

const { available, missing } = availableLanguages();
for (const language of missing) process.stderr.write(`Webhook example skipped: ${language}.\n`);

// That in Python needs the SDK as it is built: test/contract/python-sdk.test.ts.
describe.each(available)('the $name example', ({ build, run }: Language) => {
  beforeAll(async () => {
    if (build === undefined) return;
    await promisify(execFile)(build.program, build.args, { cwd: build.cwd, env: { ...process.env, ...build.env } });
  }, buildTimeoutMs);

  receiverKeepsGuarantees(() => run);
});
