import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zipSync } from 'fflate';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { confirmLink, owner, Person } from '../harness/person.ts';
import { activationLink } from '../harness/team.ts';
import type { PlatformFacts } from '../harness/test-platform.ts';
import type { User } from './user.ts';

const password = 'correct horse battery';
const invitationLink = /http\S+\/accept-invitation\?token=[\w.%-]+/;
const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`;

export interface Journey {
  readonly name: string;
  readonly maxSeconds?: number;
  /** Resolves with what was seen, for people. */
  readonly go: (user: User, facts: PlatformFacts) => Promise<string>;
}

async function signUp(user: User, facts: PlatformFacts): Promise<void> {
  const email = newEmail();
  await user.open(`${facts.origins[0]}/sign-up`, 'Create your account');
  await user.fills('Your name', 'Ada');
  await user.fills('Agency or organization', 'Brandt Studio');
  await user.fills('Email', email);
  await user.fills('Password', password);
  await user.clicks('Create account');
  await user.sees('Check your mail');
  await user.session.goTo(await mailedLink(facts, email, confirmLink));
  await user.clicks('Confirm and sign in');
  await user.sees('Overview');
}

/** A zip of a folder: no driver but that of Chromium hands a page a folder, dropped or chosen. */
async function folderIsLive(user: User, facts: PlatformFacts): Promise<string> {
  const page = '<!doctype html><html lang="en"><title>Bakery</title><h1>Fresh bread</h1></html>';
  const zip = path.join(await mkdtemp(path.join(tmpdir(), 'webkiln-folder-')), 'bakery.zip');
  await writeFile(zip, zipSync({ 'bakery/index.html': Buffer.from(page), 'bakery/img/crumb.txt': Buffer.from('crumb') }));
  await signUp(user, facts);
  await user.clicks('Bring its files');
  await user.fills('Name', 'Bakery');
  await user.clicks('Create project');
  await user.brings("//input[@type='file' and not(@webkitdirectory)]", zip);
  await user.clicks('Publish draft');
  await user.reads('img/crumb.txt, index.html');
  await user.clicks('Publish draft');
  await user.reads('Up to date');
  await user.open(await user.siteAddress(), 'Fresh bread');
  return 'the folder, zipped, is live';
}

/** From sign-up to the live site without a mouse. */
async function sentenceIsLive(user: User, facts: PlatformFacts): Promise<string> {
  const email = newEmail();
  await user.open(`${facts.origins[0]}/sign-up`, 'Create your account');
  await user.typesInto('Your name', 'Ada');
  await user.typesInto('Agency or organization', 'Brandt Studio');
  await user.typesInto('Email', email);
  await user.typesInto('Password', password);
  await user.session.press('Enter');
  await user.sees('Check your mail');
  await user.session.goTo(await mailedLink(facts, email, confirmLink));
  await user.presses('Confirm and sign in');
  await user.sees('Overview');
  await user.presses('Describe it');
  await user.typesInto('Name', 'Brandt Coffee');
  await user.typesInto('What the site is for', 'A site for a café in Lyon, open every day from 7 to 19');
  await user.presses('Create and build');
  await user.sees('Brandt Coffee');
  await user.reads('See changes');
  await user.tabsTo('Preview');
  for (let tab = 0; tab < 3; tab++) await user.session.press('Right');
  await user.presses('Publish now');
  await user.reads('Your site is live');
  await user.session.goTo(await user.siteAddress());
  await user.reads('Brandt Coffee');
  return 'the described site is live, by keyboard alone';
}

async function memberIsIn(user: User, facts: PlatformFacts): Promise<string> {
  const ada = await owner({ platform: facts });
  const email = newEmail();
  (await ada.api.post('/account/invitations', { email, role: 'developer' })).expect(201);
  user.screens.length = 0;
  await user.open(await mailedLink(facts, email, invitationLink), `Join Studio ${ada.email}`);
  await user.fills('Your name', 'Ida');
  await user.fills('Password', password);
  await user.clicks('Join');
  await user.sees('Overview');
  return joined(user, facts, email);
}

async function clientIsIn(user: User, facts: PlatformFacts): Promise<string> {
  const ada = await owner({ platform: facts });
  const { email } = new Person({ platform: facts });
  (await ada.api.post('/clients', { email, name: 'Rosa' })).expect(201);
  user.screens.length = 0;
  await user.session.goTo(await mailedLink(facts, email, activationLink));
  user.screens.push('Activate account');
  await user.fills('Choose a password', password);
  await user.clicks('Activate account');
  await user.sees('Your websites');
  return joined(user, facts, email);
}

function joined({ screens }: User, facts: PlatformFacts, email: string): string {
  const mails = mailsTo(facts, email).length;
  if (mails > 1 || screens.length > 3) throw new Error(`${mails} mails, ${screens.length} screens: ${screens.join(', ')}`);
  return `${mails} mail, ${screens.length} screens: ${screens.join(', ')}`;
}

export const journeys: readonly Journey[] = [
  { name: 'from sign-up to a live folder', maxSeconds: 60, go: folderIsLive },
  { name: 'from sign-up to a live site of a sentence, by keyboard', maxSeconds: 90, go: sentenceIsLive },
  { name: 'an invited member is in', go: memberIsIn },
  { name: 'an invited client is in', go: clientIsIn },
];
