import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import { Command, CommanderError } from 'commander';
import { addAuditCommands } from './audit-commands.ts';
import { addBackupCommands } from './backup/backup-command.ts';
import { addCreditCommands } from './building/credit-commands.ts';
import { addModelCommands } from './building/model-commands.ts';
import { addMongodbCommands } from './deployment/mongodb-commands.ts';
import { addNatsCommands } from './deployment/nats-commands.ts';
import { addSecretCommands } from './deployment/secret-commands.ts';
import { addListenCommand } from './development/listen-command.ts';
import { addMailCommands } from './development/mail-commands.ts';
import { addExamples } from './examples.ts';
import { addKeyCommands } from './key-commands.ts';
import { addLimitCommands } from './limit-commands.ts';
import { addDeadLetterCommands } from './maintenance/dead-letter-commands.ts';
import { addReleaseCommands } from './maintenance/release-commands.ts';
import { addMemberCommands } from './member-commands.ts';
import { addAccountCommands } from './moderation/account-commands.ts';
import { addDomainCommands, addSiteCommands } from './moderation/site-commands.ts';
import { OperatorError } from './operator-error.ts';
import { addOrganizationCommands } from './organization-commands.ts';
import { addStatusCommand } from './status/status-command.ts';
import { addWebhookCommands } from './webhook-commands.ts';

const exitCodes = { failure: 1, usage: 2 };

const program = new Command('webkiln')
  .description('Operates a Webkiln platform: organizations, their members, API keys and events')
  .option('--json', 'print the answer as JSON')
  .configureHelp({ showGlobalOptions: true, sortSubcommands: true })
  .showHelpAfterError('Add --help for what this command takes.')
  .addHelpText(
    'after',
    `
The platform is the one that runs from this folder (its .data, or DATA_DIR), unless the environment names another:
  IDENTITY_ADDRESS      host:port of identity; some commands need that of another service, and say so
  OPERATOR_SIGNING_KEY  the operator's Ed25519 private key, base64 PKCS8
  TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE
                        where processes use mutual TLS: a certificate with the name operator
  WEBKILN_OPERATOR      your name, as audit logs show it (default: your user name on this machine)
  NATS_URL              nats://host:port of the event stream, for listen
  MONGODB_URL           the replica set, for migrate

From scripts, call it as "npm run -s webkiln -- …": npm then prints nothing of its own.

Exits 0 when done, 1 when it failed, 2 when called wrongly.`,
  )
  .exitOverride();

// Standard output contains only the result.
logger.level = 'silent';

addStatusCommand(program);
addOrganizationCommands(program);
addMemberCommands(program);
addKeyCommands(program);
addLimitCommands(program);
addModelCommands(program);
addCreditCommands(program);
addSiteCommands(program);
addDomainCommands(program);
addWebhookCommands(program);
addAccountCommands(program);
addAuditCommands(program);
addDeadLetterCommands(program);
addBackupCommands(program);
addMailCommands(program);
addListenCommand(program);
addSecretCommands(program);
addMongodbCommands(program);
addNatsCommands(program);
addReleaseCommands(program);
addExamples(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  // Commander has already printed the problem; asking for help is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (!(error instanceof OperatorError) && !(error instanceof AppError)) throw error;
  console.error(error.message);
  return exitCodes.failure;
}
