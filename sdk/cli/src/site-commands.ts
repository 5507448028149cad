import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { WebkilnError } from '@webkiln/sdk';
import { type DeployProgress, deployFolder } from '@webkiln/sdk/node';
import type { Command } from 'commander';
import { unzipSync } from 'fflate';
import { openBrowser } from './browser-login.ts';
import { interruption } from './interruption.ts';
import { print, progress, size } from './output.ts';
import { projectOf, storedProject, webkilnOf } from './settings.ts';

interface SiteOptions {
  project?: string;
}

export function addSiteCommands(program: Command): void {
  const ofProject = (name: string, description: string) =>
    program.command(name).description(description).option('--project <id>', 'the project (default: that of "webkiln init")');
  ofProject('deploy', 'publish a folder, sending the files that changed; visitors see all of the old site, then all of the new')
    .argument('[folder]', 'the folder with index.html (default: that of "webkiln init")')
    .option('--preview', 'leave the live site as it is, and print a link that shows the folder')
    .option('--message <text>', "what is new, for the project's history")
    .addHelpText(
      'after',
      '\nExamples:\n  webkiln deploy ./dist --project $ID\n  webkiln deploy --preview\n  webkiln deploy --json --message "$CI_COMMIT_TITLE"',
    )
    .action(deploy);
  ofProject('pull', 'write the files of a project into a folder')
    .argument('[folder]', 'where to', '.')
    .option('--live', 'the files that visitors see, in place of the draft')
    .option('--force', 'overwrite files that differ')
    .addHelpText('after', '\nExample:\n  webkiln pull ./site --project $ID --live')
    .action(pull);
  ofProject('open', 'print the address of the site, and open it in a browser')
    .option('--preview', 'the draft')
    .addHelpText('after', '\nExample:\n  webkiln open --preview')
    .action(open);
}

async function deploy(given: string | undefined, options: SiteOptions & { preview?: true; message?: string }, command: Command) {
  const [webkiln, project] = [await webkilnOf(command), await projectOf(options)];
  const folder = given ?? (await storedProject())?.folder;
  if (folder === undefined) throw new WebkilnError('Which folder? Name it, or run "webkiln init --folder dist".');
  const show = progress();
  const onProgress = ({ files, sent, sentBytes, totalBytes }: DeployProgress) => {
    const percent = process.stderr.isTTY ? `, ${Math.floor((100 * sentBytes) / totalBytes)} %` : '';
    show(`Sending ${sent} of ${files} files, ${size(totalBytes)}${percent} …`);
  };
  const { preview = false, message } = options;
  const deployed = await deployFolder(webkiln, project, folder, { preview, message, onProgress, signal: interruption });
  if (process.stderr.isTTY) console.error();
  for (const { path: file, line, message: problem } of deployed.warnings) {
    console.error(`Warning: ${line === undefined ? file : `${file}:${line}`}: ${problem}`);
  }
  console.error(preview ? 'The live site is as it was. The preview:' : 'Live at:');
  print(command, deployed, deployed.url ?? deployed.previewUrl ?? '');
}

async function pull(folder: string, options: SiteOptions & { live?: true; force?: true }, command: Command) {
  const [webkiln, project] = [await webkilnOf(command), await projectOf(options)];
  const zip = await webkiln.projects.export(project, options.live ? { of: 'live' } : {}, { timeout: 600_000, signal: interruption });
  const files = Object.entries(unzipSync(new Uint8Array(await zip.arrayBuffer()))).filter(([name]) => !name.endsWith('/'));
  const root = path.resolve(folder);
  const states = files.map(async ([name, content]) => {
    const at = path.resolve(root, name);
    if (!at.startsWith(root + path.sep)) throw new WebkilnError(`${name} would be outside ${folder}: nothing was written.`);
    const there = await readFile(at).catch(() => undefined);
    return { at, name, content, isNew: there === undefined, isSame: there !== undefined && Buffer.compare(there, content) === 0 };
  });
  const changed = (await Promise.all(states)).filter(({ isSame }) => !isSame);
  const [overwritten, ...more] = changed.filter(({ isNew }) => !isNew).map(({ name }) => name);
  if (overwritten !== undefined && !options.force) {
    const others = more.length > 0 ? `, as do ${more.length} more files` : '';
    throw new WebkilnError(`${overwritten} differs${others}: add --force to overwrite. Nothing was written.`);
  }
  for (const { at, content } of changed) {
    await mkdir(path.dirname(at), { recursive: true });
    await writeFile(at, content);
  }
  print(command, { files: files.length, written: changed.length }, `${files.length} files, ${changed.length} of them written.`);
}

async function open(options: SiteOptions & { preview?: true }, command: Command) {
  const [webkiln, project] = [await webkilnOf(command), await projectOf(options)];
  const { preview_url, published_url } = await webkiln.projects.getPreview(project, {}, { signal: interruption });
  const url = options.preview ? preview_url : published_url;
  if (url === null) throw new WebkilnError('The project is not published: add --preview, or deploy it.');
  print(command, { url }, url);
  if (!process.stdout.isTTY || !/^https?:/.test(url)) return;
  openBrowser(url);
}
