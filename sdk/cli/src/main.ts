#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { WebkilnError } from '@webkiln/sdk';
import { Command, CommanderError } from 'commander';
import { addCompletionCommand } from './completion-command.ts';
import { interruption } from './interruption.ts';
import { addLoginCommands } from './login-commands.ts';
import { addRequestCommands } from './request-commands.ts';
import { addSiteCommands } from './site-commands.ts';
import { addWebhookCommands } from './webhook-commands.ts';

const exitCodes = { failure: 1, usage: 2, interrupted: 130 };

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const program = new Command('webkiln')
  .description('Webkiln for developers of agencies: deploy folders, pull sites, receive webhooks on your own machine')
  .version(version)
  .option('--url <address>', 'the platform (default: that of the login, else http://localhost:8080)')
  .option('--json', 'print the result as JSON')
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('Add --help for what this command takes.')
  .addHelpText(
    'after',
    `
Examples:
  webkiln login --url https://app.example.com
  webkiln init --project 3f3c7f04-6d4e-4f6e-9a45-0c9a1f2b7d11 --folder dist
  webkiln deploy --message "New opening hours"
  webkiln deploy ./dist --preview
  webkiln listen --forward http://localhost:3000/hook
  webkiln requests tail --status 4xx

Environment, before what login has stored:
  WEBKILN_API_KEY   an API key of your organization, made in the dashboard
  WEBKILN_BASE_URL  the address of the platform
  WEBKILN_PROJECT   the project, before what init has stored

Exits 0 when done, 1 when it failed, 2 when called wrongly, 130 when interrupted.`,
  )
  .exitOverride();

addLoginCommands(program);
addSiteCommands(program);
addWebhookCommands(program);
addRequestCommands(program);
addCompletionCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  if (interruption.aborted) {
    console.error('Interrupted.');
    return exitCodes.interrupted;
  }
  // Commander has already printed the problem; asking for help is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  // A file or a folder that the system refuses has a sentence of its own.
  if (!(error instanceof WebkilnError) && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
  console.error((error as Error).message);
  return exitCodes.failure;
}
