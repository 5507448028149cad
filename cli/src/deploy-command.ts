import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { maxSiteBytes, maxSiteFiles } from '@webkiln/contract';
import type { Command } from 'commander';
import { webAddress } from './arguments.ts';
import { OperatorError } from './operator-error.ts';
import { print } from './output.ts';

/** What systems and tools leave in folders, and nobody means to publish. */
const leftOut = new Set(['__MACOSX', '.DS_Store', '.git']);
const timeoutMs = 600_000;

interface DeployOptions {
  project: string;
  url: string;
  draft?: true;
}

interface LocalFile {
  readonly path: string;
  readonly sha256: string;
  readonly content: Buffer;
}

interface Published {
  readonly url: string;
  readonly warnings?: readonly { readonly path: string; readonly line?: number; readonly message: string }[];
}

export function addDeployCommand(program: Command): void {
  program
    .command('deploy')
    .description("make a folder a project's draft, sending what changed, and publish it; WEBKILN_KEY is an API key that may read and write")
    .argument('<folder>', 'the folder with index.html')
    .requiredOption('--project <id>', 'the project')
    .option('--url <address>', 'the platform', webAddress, 'http://localhost:8080/')
    .option('--draft', 'leave the live site as it is')
    .action(async (folder: string, options: DeployOptions, command: Command) => {
      const { WEBKILN_KEY: key = '' } = process.env;
      if (key === '') throw new OperatorError('Set WEBKILN_KEY to an API key that may read and write.');
      const api = (method: string, where: string, body?: object) =>
        answerOf({
          url: `${new URL(options.url).origin}/api/v1/projects/${encodeURIComponent(options.project)}${where}`,
          key,
          method,
          body,
        });
      const files = await filesIn(folder);
      const sent = await upload(api, files);
      console.error(`The draft has ${files.length} files, ${sent} of them sent.`);
      if (options.draft) return print(command, { files: files.length, sent, url: null }, () => 'Not published.');
      const { url, warnings = [] } = (await api('POST', '/publish', {})) as Published;
      for (const { path: file, line, message } of warnings)
        console.error(`Warning: ${line === undefined ? file : `${file}:${line}`}: ${message}`);
      print(command, { files: files.length, sent, url }, () => url);
    });
}

/** Sends the contents that the draft lacks; all of them if it has changed meanwhile. Returns how many. */
async function upload(
  api: (method: string, where: string, body?: object) => Promise<unknown>,
  files: readonly LocalFile[],
): Promise<number> {
  const there = (await api('GET', '/files')) as { files: readonly { sha256: string }[] };
  const send = async (known: ReadonlySet<string>) => {
    const missing = files.filter(({ sha256 }) => !known.has(sha256));
    const bytes = missing.reduce((sum, { content }) => sum + content.byteLength, 0);
    console.error(`Sending ${missing.length} of ${files.length} files, ${bytes} bytes …`);
    const entries = files.map(({ path: name, sha256, content }) => [
      name,
      known.has(sha256) ? { sha256 } : { content: content.toString('base64'), encoding: 'base64' },
    ]);
    await api('PUT', '/files', { files: Object.fromEntries(entries) });
    return missing.length;
  };
  try {
    return await send(new Set(there.files.map(({ sha256 }) => sha256)));
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'contents_missing') throw error;
    return send(new Set());
  }
}

/** The files of a folder by their paths in the site. Throws `OperatorError` for what is no file. */
async function filesIn(folder: string): Promise<LocalFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw new OperatorError(`${folder} cannot be read: ${(error as Error).message}`, { cause: error });
  });
  const files: LocalFile[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const at = path.join(entry.parentPath, entry.name);
    const segments = path.relative(folder, at).split(path.sep);
    if (entry.isDirectory() || segments.some((segment) => leftOut.has(segment))) continue;
    if (!entry.isFile()) throw new OperatorError(`${at} is a link or no file: put the file that it points to in its place.`);
    const content = await readFile(at);
    bytes += content.byteLength;
    if (files.length === maxSiteFiles || bytes > maxSiteBytes) {
      throw new OperatorError(`${folder} has more than ${maxSiteFiles} files or 25 MB: name the folder that your build makes.`);
    }
    files.push({ path: segments.join('/'), sha256: hash('sha256', content), content });
  }
  return files;
}

/** An answer of the API that is no success. */
class Refusal extends OperatorError {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

interface Question {
  readonly url: string;
  readonly key: string;
  readonly method: string;
  readonly body: object | undefined;
}

async function answerOf({ url, key, method, body }: Question): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(timeoutMs),
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new OperatorError(`${new URL(url).origin} does not answer: is it running, and --url right?`, { cause: error });
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { error = `The platform answered ${response.status}.`, code = '' } = answer as { error?: string; code?: string };
  throw new Refusal(error, code);
}
