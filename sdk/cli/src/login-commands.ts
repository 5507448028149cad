import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Webkiln, WebkilnError } from '@webkiln/sdk';
import type { Command } from 'commander';
import { keyFromBrowser } from './browser-login.ts';
import { interruption } from './interruption.ts';
import { print } from './output.ts';
import { baseUrlOf, removeLogin, storeLogin, storeProject, webkilnOf } from './settings.ts';

export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description('store an API key for this user: one that you allow on a page of the dashboard, or one that you have')
    .option('--browser', 'have the page make a key (default on a terminal)')
    .option('--no-browser', 'ask for a key, or read it from standard input: on a machine without a browser')
    .addHelpText(
      'after',
      '\nExamples:\n  webkiln login --url https://app.example.com\n  webkiln login --no-browser\n  echo "$KEY" | webkiln login',
    )
    .action(async ({ browser = process.stdin.isTTY }: { browser?: boolean }, command: Command) => {
      const base_url = await baseUrlOf(command);
      const given = process.env.WEBKILN_API_KEY ?? (await (browser ? keyFromBrowser(base_url) : askForKey(base_url)));
      const api_key = given.trim();
      if (api_key === '') throw new WebkilnError('No key was given.');
      const { organization, key } = await new Webkiln({ apiKey: api_key, baseUrl: base_url }).account.get({ signal: interruption });
      const file = await storeLogin({ base_url, api_key });
      const said = `Signed in to ${base_url} as ${key?.name} of ${organization.name}. The key is in ${file}, which only you can read.`;
      print(command, { base_url, file, organization: organization.id }, said);
    });
  program
    .command('logout')
    .description('forget the stored key; revoke it in the dashboard if somebody else may have it')
    .action(async (_options: object, command: Command) => {
      await removeLogin();
      print(command, {}, 'Signed out.');
    });
  program
    .command('init')
    .description('remember the project and its folder for the other commands, in .webkiln/project.json')
    .option('--project <id>', 'a project that exists')
    .option('--create <name>', 'a new project')
    .option('--client <email>', 'with --create: whose it is, an active client or a member of the agency')
    .option('--folder <folder>', 'what is deployed', 'dist')
    .addHelpText(
      'after',
      '\nExamples:\n  webkiln init --project $ID\n  webkiln init --create "Bakery" --client anna@bakery.example --folder public',
    )
    .action(init);
}

interface InitOptions {
  project?: string;
  create?: string;
  client?: string;
  folder: string;
}

async function init({ project: id, create, client, folder }: InitOptions, command: Command) {
  if ((id === undefined) === (create === undefined))
    command.error('error: name a project by --project, or a new one by --create', { exitCode: 2 });
  const webkiln = await webkilnOf(command);
  const signal = interruption;
  const made = async (name: string) => {
    if (client === undefined) command.error('error: --create takes --client with it', { exitCode: 2 });
    return (await webkiln.projects.create({ name, client_email: client }, { signal })).project;
  };
  const project = create === undefined ? await webkiln.projects.get(id ?? '', { signal }) : await made(create);
  const file = await storeProject({ project: project.id, folder });
  print(command, { project: project.id, folder, file }, `${project.name} (${project.id}) is the project of this folder, as ${file} says.`);
}

/** Reads a key from standard input; on a terminal without showing it. */
async function askForKey(url: string): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  process.stderr.write(`API key for ${url} (dashboard → Settings → API keys): `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await lines.question('', { signal: interruption });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
