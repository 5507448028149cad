import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { activeClient, makeProject, makeWebhook, someHook } from '../contract/fixtures.ts';
import { agency, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { Api } from '../harness/api.ts';
import { useBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { resume, setLimit, suspend } from '../harness/operator.ts';
import { confirmLink, owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { newMember } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';
import { accessibilityViolations } from './testing/accessibility-violations.ts';
import { Tab } from './testing/tab.ts';

const browser = useBrowser();

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('members', () => {
  const invitationLink = /http\S+\/accept-invitation\?token=[\w.%-]+/;

  test('an invited member signs up and joins on one page, with one mail, and sees only what the role permits', async () => {
    const ada = await owner();
    const { email, password } = new Person();
    await using agency = await Tab.open(browser(), origin);
    await agency.signInAs(ada, origin);
    await agency.goTo('/members');
    await agency.page.getByRole('button', { name: 'Invite member' }).click();
    const dialog = agency.page.getByRole('dialog');
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByRole('button', { name: 'Role' }).click();
    await agency.page.getByRole('option', { name: 'Viewer' }).click();
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await agency.page.getByRole('row', { name: email }).waitFor();

    await using invited = await Tab.open(browser(), origin);
    const { page } = invited;
    await page.goto(await mailedLink(platform, email, invitationLink));
    await page.getByRole('heading', { name: `Join Studio ${ada.email}` }).waitFor();
    await page.getByText(`As ${email}.`).waitFor();
    expect(await accessibilityViolations(invited)).toEqual([]);
    await page.getByLabel('Your name').fill('Ida');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents();
    expect(links).toEqual([
      'Overview',
      'Clients',
      'Projects',
      'Analytics',
      'Templates',
      'Plans',
      'Webhooks',
      'Agents',
      'Limits',
      'Documentation',
    ]);
    await invited.goTo('/clients');
    expect(await page.getByRole('button', { name: 'Invite client' }).count()).toBe(0);
    expect(invited.browserErrors).toEqual([]);
  });

  test('an owner requires two-step sign-in, and a member without it sets it up before going on; an invitation is sent again', async () => {
    const ada = await owner();
    const bob = await newMember(ada, 'developer');
    const { totpURI } = (await ada.auth('/two-factor/enable', { password: ada.password })).expect(200).body;
    (await ada.auth('/two-factor/verify-totp', { code: totp(totpURI) })).expect(200);
    const { email } = new Person();
    (await ada.api.post('/account/invitations', { email, role: 'viewer' })).expect(201);
    await using owning = await Tab.open(browser(), origin);
    await owning.signInAs(ada, origin);
    await owning.goTo('/members');
    await owning.page.getByRole('row', { name: email }).getByRole('button', { name: 'Send again' }).click();
    await owning.page.getByText(`Sent to ${email} again.`).waitFor();
    await owning.page.getByText('Require it of all members').click();
    await eventually(async () => (await bob.api.get('/projects')).expect(403, 'second_factor_required'));

    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(bob, origin);
    await page.goto('/webhooks');
    await page.getByRole('heading', { name: 'Set up two-step sign-in' }).waitFor();
    expect(await accessibilityViolations(tab)).toEqual([]);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByLabel('Your password').fill(bob.password);
    await page.getByRole('button', { name: 'Continue' }).click();
    const secret = await page.getByRole('region', { name: 'Key' }).textContent();
    await page.getByRole('textbox', { name: 'Code' }).fill(totp(`otpauth://totp/Webkiln?secret=${secret}`));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    expect([...owning.browserErrors, ...tab.browserErrors]).toEqual([]);
  });

  test('the removal of a member names the webhooks whose secrets it knows, and their pages say so until they are rotated', async () => {
    const ada = await owner();
    const leaver = await newMember(ada, 'developer');
    const { id } = await makeWebhook(leaver.api);
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(ada, origin);
    await tab.goTo('/members');
    await page.getByRole('row', { name: leaver.email }).getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: someHook }).waitFor();
    expect(await accessibilityViolations(tab)).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: leaver.email }).waitFor({ state: 'detached' });
    await tab.goTo(`/webhooks/${id}`);
    await page.getByText('Somebody who has left: rotate it').waitFor();
    expect(await accessibilityViolations(tab)).toEqual([]);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('definition').getByText(ada.email).waitFor();
    expect(tab.browserErrors).toEqual([]);
  });
});

describe('a suspended organization', () => {
  test('a suspended organization has one notice instead of its pages; the account page opens, and all is back once it is resumed', async () => {
    await agency();
    const ada = await owner();
    const { organization } = (await ada.api.get('/account/session')).expect(200).body;
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(ada, origin);
    await suspend(organization.id);
    await eventually(async () => (await ada.api.get('/projects')).expect(403, 'organization_suspended'));
    const notice = page.getByRole('heading', { level: 1, name: 'This organization is suspended' });
    for (const path of ['/', '/limits', '/audit']) {
      await page.goto(path);
      await notice.waitFor();
    }
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.waitForURL('**/projects');
    await notice.waitFor();
    await tab.goTo('/account');
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    expect(tab.browserErrors).toEqual([]);

    await page.goto('/projects');
    await notice.waitFor();
    await resume(organization.id);
    await eventually(async () => (await ada.api.get('/projects')).expect(200));
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
  });
});

describe('limits', () => {
  test('each limit is shown with what is used, warns from 80 % on, and says whom to ask when all is used', async () => {
    await agency();
    const ada = await owner();
    const { organization } = (await ada.api.get('/account/session')).expect(200).body;
    for (let webhook = 0; webhook < 4; webhook++) {
      (await ada.api.post('/webhooks', { url: `https://hooks.example.com/${webhook}`, events: ['client.created'] })).expect(201);
    }
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(ada, origin);
    const row = async (limit: number | undefined) => {
      await setLimit(organization.id, 'webhooks', limit);
      await tab.goTo('/limits');
      const webhooks = page.getByRole('listitem').filter({ has: page.getByRole('meter', { name: 'Webhooks' }) });
      return [await webhooks.getByRole('meter').getAttribute('aria-valuetext'), ...(await webhooks.locator('p').allTextContents())];
    };
    const all = 'All used. Delete what you no longer need, or ask the operator of this platform for more.';
    expect(await row(50)).toEqual(['4 of 50']);
    expect(await row(6)).toEqual(['4 of 6']);
    expect(await row(5)).toEqual(['4 of 5', 'Nearly used up: 1 left.']);
    expect(await row(4)).toEqual(['4 of 4', all]);
    expect(await row(3)).toEqual(['4 of 3', all]);
    await page.getByRole('listitem').filter({ hasText: 'Requests a minute' }).getByText('up to 3,000').waitFor();
    const stored = page.getByRole('meter', { name: 'Stored files' });
    expect(await stored.getAttribute('aria-valuetext')).toBe('0 bytes of 5 GB');
    await page.getByRole('link', { name: 'Limits' }).waitFor();
    expect(tab.browserErrors).toEqual([]);
  });

  test('what is used of a limit and not known now is said so', async () => {
    const ada = await owner();
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(ada, origin);
    const limits = [{ name: 'projects', unit: 'projects', limit: 10_000, used: null }];
    await page.route('**/api/v1/account/limits', (route) => route.fulfill({ json: { limits } }));
    await page.goto('/limits');
    const row = page.getByRole('listitem').filter({ hasText: 'up to 10,000' });
    await row.getByText('What is used is not known now.').waitFor();
  });
});

describe('while a part of the platform is away', () => {
  const away = { status: 503, json: { error: 'Retry later.', code: 'unavailable', request_id: 'asked-in-vain' } };

  test('a page says that it waits for an answer, then why it has none, and shows its records without a click', async () => {
    const ada = await owner();
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(ada, origin);
    const held = Promise.withResolvers<void>();
    await page.route('**/api/v1/account/limits', async (route) => {
      await held.promise;
      await route.fulfill(away);
    });
    await page.goto('/limits');
    await page.getByText('This takes longer than usual.').waitFor();
    held.resolve();
    await page.getByText('We can’t load this right now. Trying again…').waitFor();
    await page.getByText('Request ID asked-in-vain').waitFor();
    await page.unroute('**/api/v1/account/limits');
    await page.getByRole('meter', { name: 'Stored files' }).waitFor();
    expect(tab.browserErrors).toEqual([]);
  });
});

describe('agents', () => {
  test('the page of agents says how to connect each common one, and an owner switches a tool and all agents off and on', async () => {
    const ada = await owner();
    const { secret } = (await ada.api.post('/account/keys', { name: 'Agent', permissions: ['read', 'write'] })).expect(201).body;
    const agent = new Agent(secret);
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(ada, origin);
    await tab.goTo('/');
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'No agent is connected' }).waitFor();

    const copied = page.getByRole('region', { name: 'What to copy' });
    expect(await copied.textContent()).toBe(`${origin}/api/mcp`);
    for (const name of ['Claude Code', 'ChatGPT', 'Cursor', 'VS Code', 'Your own, in TypeScript', 'Your own, in Python']) {
      await page.getByRole('button', { name: 'Your agent' }).click();
      await page.getByRole('option', { name, exact: true }).click();
      expect(await copied.textContent()).toContain(`${origin}/api/mcp`);
    }

    // By keyboard: the page moves under a mouse when an agent comes or asks.
    // The address is made by ticking, once an owner has opened what it asks for.
    const files = page.getByRole('checkbox', { name: 'Files, publishing and templates' });
    expect(await files.isDisabled()).toBe(true);
    await page.getByRole('switch', { name: 'Agents may build and publish' }).press('Space');
    await eventually(async () => expect(await files.isEnabled()).toBe(true));
    await files.press('Space');
    await page.getByRole('checkbox', { name: 'Only what changes nothing' }).press('Space');
    await page.getByRole('button', { name: 'Your agent' }).click();
    await page.getByRole('option', { name: 'Claude Code', exact: true }).click();
    const address = /'(.*)'$/.exec((await copied.textContent()) ?? '')?.[1] ?? '';
    expect(address).toBe(`${origin}/api/mcp?toolsets=sites&read_only=true`);
    const reader = new Agent(secret, { query: new URL(address).search });
    await eventually(async () => expect((await reader.ask('tools/list')).body.result.tools.length).toBeGreaterThan(7));
    expect(await reader.refusal('read_file', { path: 'index.html' })).toMatch(/^validation_failed: project_id/);

    const tool = page.getByRole('checkbox', { name: 'List plans', exact: true });
    const everything = page.getByRole('switch', { name: 'Agents may work here' });
    await tool.press('Space');
    await eventually(async () => expect(await agent.refusal('list_plans')).toMatch(/^tool_off: /));
    await tool.press('Space');
    await eventually(() => agent.use('list_plans'));
    await page.getByRole('checkbox', { name: 'Ask first: List plans' }).press('Space');
    await eventually(async () => expect(await agent.refusal('list_plans')).toMatch(/^approval_needed: /));
    await page.getByRole('button', { name: 'Allow once' }).click();
    await eventually(() => agent.use('list_plans'));
    await page.getByRole('checkbox', { name: 'Ask first: List plans' }).press('Space');
    await everything.press('Space');
    await eventually(async () => expect(await agent.refusal('list_plans')).toMatch(/^agents_off: /));
    await everything.press('Space');
    await eventually(() => agent.use('list_plans'));
    expect(tab.browserErrors).toEqual([]);
  });
});

describe('keys', () => {
  const inShell = promisify(execFile);

  /** Runs a curl command in a shell. Returns the JSON that it prints. */
  const runCurl = async (request: string) => JSON.parse((await inShell('sh', ['-c', `${request} --silent`])).stdout);

  test('a new user verifies the email, creates a key that works in the shown request, and revokes it so that it is refused', async () => {
    const { email, password } = new Person();
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;

    await tab.goTo('/sign-up');
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Agency or organization').fill('Kiln Studio');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();

    await page.goto(await mailedLink(platform, email, confirmLink));
    await page.getByRole('button', { name: 'Confirm and sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Importer');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const secret = (await page.getByRole('region', { name: 'Key' }).textContent()) ?? '';
    const request = (await page.getByRole('region', { name: 'Text to copy' }).textContent()) ?? '';
    await page.getByRole('button', { name: 'Done' }).click();

    const api = new Api(`${origin}/api/v1`, secret);
    expect(await runCurl(request)).toMatchObject({ projects: [], total: 0 });
    (await api.post('/plans', { name: 'Care', price: 1 })).expect(403, 'permission_missing');

    await page.getByRole('row', { name: 'Importer' }).getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Name').fill('Deploys');
    await dialog.getByLabel('Allowed networks').fill('everywhere');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.getByText('must be an IP address or a network').waitFor();
    await dialog.getByLabel('Allowed networks').fill('203.0.113.0/24\n2001:db8::/32');
    await dialog.getByLabel('Requests per minute').fill('20');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    const changed = page.getByRole('row', { name: 'Deploys' });
    for (const bound of ['2 networks', '20 per minute']) await changed.getByText(bound).waitFor();
    await eventually(async () => (await api.get('/projects')).expect(403, 'address_not_allowed'));

    await changed.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await eventually(async () => (await api.get('/projects')).expect(401, 'invalid_key'));
    expect(await runCurl(request)).toMatchObject({ code: 'invalid_key' });
    await changed.waitFor({ state: 'detached' });
    expect(tab.browserErrors).toEqual([]);
  });

  test('a member has the buttons of the keys that it may rotate and revoke, and none of keys that may do more', async () => {
    const boss = await owner();
    const developer = await newMember(boss, 'developer');
    const make = async ({ api }: Person, name: string) =>
      (await api.post('/account/keys', { name, permissions: ['read', 'write'] })).expect(201).body.key.id as string;
    const ofOwner = await make(boss, 'Of the owner');
    await make(developer, 'Of the developer');
    (await developer.api.post(`/account/keys/${ofOwner}/rotate`, {})).expect(403);
    const buttonsOf = async (person: Person, name: string) => {
      await using tab = await Tab.open(browser(), origin);
      await tab.signInAs(person, origin);
      await tab.goTo('/keys');
      const row = tab.page.getByRole('row', { name });
      await row.waitFor();
      return await row.getByRole('button').allTextContents();
    };
    expect(await buttonsOf(developer, 'Of the owner')).toEqual([]);
    expect(await buttonsOf(developer, 'Of the developer')).toEqual(['Edit', 'Rotate', 'Revoke']);
    expect(await buttonsOf(boss, 'Of the developer')).toEqual(['Edit', 'Rotate', 'Revoke']);
  });

  test('a key is made to manage what its maker may, or for the websites of one client or one project, and says that it expires soon', async () => {
    const boss = await owner();
    const developer = await newMember(boss, 'developer');
    await activeClient(boss.api, { company: 'Bäckerei Krume' });
    const project = await makeProject(boss.api, undefined, { name: 'Online shop' });
    const expires_at = new Date(Date.now() + 3 * 86_400_000).toISOString();
    (await developer.api.post('/account/keys', { name: 'Import of March', permissions: ['read'], expires_at })).expect(201);
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(developer, origin);
    await tab.goTo('/keys');
    await page.getByRole('row', { name: 'Import of March' }).getByText('Expires soon').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    const offered = await dialog.getByRole('checkbox').evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value')));
    expect(offered).toEqual(['read', 'write', 'keys', 'usage', 'embedding']);
    await dialog.getByLabel('Name').fill('Rotation');
    await dialog.getByText('API keys').click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: 'Rotation' }).getByText('API keys').waitFor();

    await page.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByLabel('Name').fill('Deploys of the bakery');
    await dialog.getByRole('button', { name: 'Websites' }).click();
    await page.getByRole('option', { name: 'Bäckerei Krume' }).click();
    expect(await dialog.getByRole('checkbox').count()).toBe(2);
    expect(await accessibilityViolations(tab)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: 'Deploys of the bakery' }).getByText('Bäckerei Krume').waitFor();

    await page.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByLabel('Name').fill('One site');
    await dialog.getByRole('button', { name: 'Websites' }).click();
    await page.getByRole('searchbox').fill('shop');
    await page.getByRole('option', { name: 'Project Online shop' }).click();
    expect(await dialog.getByRole('checkbox').count()).toBe(2);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: 'One site' }).getByText('Online shop').waitFor();
    const { keys } = (await developer.api.get('/account/keys')).expect(200).body;
    expect(keys).toContainEqual(expect.objectContaining({ name: 'One site', project_id: project.id, client_id: null }));
    expect(tab.browserErrors).toEqual([]);
  });

  test('"webkiln login" gets a key that a person allows on a page, encrypted for it alone; the page of a wrong address makes none', async () => {
    const developer = await newMember(await owner(), 'developer');
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(developer, origin);
    await tab.goTo('/connect-command-line?port=80&public_key=none');
    await page.getByRole('heading', { name: 'This page cannot make a key' }).waitFor();

    const home = await mkdtemp(path.join(tmpdir(), 'webkiln-home-'));
    const program = path.resolve(__dirname, '../../sdk/cli/src/main.ts');
    const login = spawn(process.execPath, [program, 'login', '--browser', '--url', origin], { env: { PATH: '', XDG_CONFIG_HOME: home } });
    const ended = once(login, 'close');
    const [printed] = await once(login.stderr, 'data');
    const [, code = '', address = ''] = /code (\S+):\s+(\S+)/.exec(String(printed)) ?? [];
    await fetch(`http://127.0.0.1:${new URL(address).searchParams.get('port')}/?key=AAAA`);
    await page.goto(address);
    await page.getByText(code, { exact: true }).waitFor();
    expect(await accessibilityViolations(tab)).toEqual([]);
    const sent = page.waitForRequest((request) => request.url().startsWith('http://127.0.0.1') && request.url().includes('key='));
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'The command line is connected' }).waitFor();
    expect(await ended).toEqual([0, null]);
    const { api_key } = JSON.parse(await readFile(path.join(home, 'webkiln/login.json'), 'utf8'));
    await rm(home, { recursive: true });
    expect((await sent).url()).not.toContain(api_key);
    const { key } = (await new Api(`${origin}/api/v1`, api_key).get('/account')).expect(200).body;
    expect(key).toMatchObject({ permissions: ['read', 'write', 'usage'], expires_at: expect.any(String) });
    expect(tab.browserErrors).toEqual([]);
  });
});

describe('requests', () => {
  beforeAll(() => withinOneDay(), nextDayTimeoutMs);

  test('a request is found by the request id of its response, and counts in the usage of its key', async () => {
    const ada = await owner();
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(ada, origin);
    await tab.goTo('/requests');
    await page.getByRole('heading', { name: 'No requests yet' }).waitFor();

    const { key, secret } = (await ada.api.post('/account/keys', { name: 'Importer', permissions: ['read'] })).expect(201).body;
    const program = new Api(`${origin}/api/v1`, secret);
    (await program.get('/clients')).expect(200);
    const id = (await program.get(`/clients/${randomUUID()}`)).expect(404).headers.get('x-request-id') ?? '';
    await eventually(async () => expect((await ada.api.get(`/account/requests?key_id=${key.id}`)).body.total).toBe(2));

    await tab.goTo('/requests');
    await page.getByRole('searchbox', { name: 'Request ID' }).fill(id);
    const row = page.getByRole('row').filter({ hasText: 'GET /clients/{clientId}' });
    await row.getByText('404').waitFor();
    await page.getByRole('row').filter({ hasText: '200' }).waitFor({ state: 'detached' });
    await row.getByRole('link').click();
    expect(await page.getByRole('region', { name: 'Request ID' }).textContent()).toBe(id);
    const details = page.getByRole('region', { name: 'GET /clients/{clientId}' });
    for (const fact of ['client_not_found', 'No client with this id or email', 'Importer']) await details.getByText(fact).waitFor();
    expect(await accessibilityViolations(tab)).toEqual([]);

    await eventually(async () => {
      const { keys } = (await ada.api.get('/account/usage')).expect(200).body.usage;
      expect(keys).toContainEqual(expect.objectContaining({ key_id: key.id, requests: 2 }));
    });
    await tab.goTo('/usage');
    const usage = page.getByRole('row').filter({ hasText: 'Importer' });
    expect(await usage.getByRole('cell').nth(1).textContent()).toBe('2');
    const { days } = (await ada.api.get('/account/usage?days=30')).expect(200).body.usage;
    const charted = page.getByRole('table', { name: 'Requests by day' }).locator('tr[data-date]');
    await charted.first().waitFor({ state: 'attached' });
    expect(await charted.evaluateAll((rows) => rows.map((shown) => shown.getAttribute('data-date')))).toEqual(
      days.map(({ date }: { date: string }) => date),
    );
    await usage.getByRole('link', { name: 'Requests' }).click();
    await row.waitFor();
    expect(tab.browserErrors).toEqual([]);
  });

  test('an error on a page links to its request in the log', async () => {
    const ada = await owner();
    await using tab = await Tab.open(browser(), origin);
    const { page } = tab;
    await tab.signInAs(ada, origin);
    await page.goto(`/analytics?project=${randomUUID()}`);
    const link = page.getByRole('alert').getByRole('link');
    const id = ((await link.textContent()) ?? '').replace('Request ID ', '');
    await eventually(async () => expect((await ada.api.get(`/account/requests?request_id=${id}`)).body.total).toBe(1));
    await link.click();
    await page.getByRole('region', { name: 'GET /analytics' }).getByText('404').waitFor();
    expect(await page.getByRole('region', { name: 'Request ID' }).textContent()).toBe(id);
    expect(tab.browserErrors).toEqual([]);
  });
});
