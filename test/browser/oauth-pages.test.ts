import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { cached, runCommand } from '@webkiln/dev-platform';
import { call } from '@webkiln/rpc';
import type { Page } from 'playwright-core';
import { makeProject } from '../contract/fixtures.ts';
import { accessibilityViolations } from '../dashboard/testing/accessibility-violations.ts';
import { agency } from '../harness/agency.ts';
import { someAddress } from '../harness/api.ts';
import { BrowserUser, useBrowser } from '../harness/browser.ts';
import { agentCallback, connectedAgent } from '../harness/connected-agent.ts';
import { addMember, operatorOf } from '../harness/operator.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { personWithoutOrganization } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';
import { addDevice } from '../harness/virtual-authenticator.ts';
import { agentLink, agentServer, personWithSecondFactor } from './agent-link.ts';
import { looks, screenshotsIn } from './looks.ts';

jest.setTimeout(900_000);

const browser = useBrowser();

describe('oauth pages', () => {
  const platform = sharedPlatform();
  const origin = platform.origins[0] ?? '';

  describe('the pages of OAuth', () => {
    const screenshot = screenshotsIn('oauth-pages');
    const organizations = 50;
    const longName = 'The Association of Independent Harbour Bakeries and Confectioners of the Northern Coast';

    /** A member of many organizations, and a person of none. */
    let busy: Person;
    let alone: Person;
    let agent: Awaited<ReturnType<typeof agentServer>>;

    beforeAll(async () => {
      agent = await agentServer();
      await agency();
      [busy, alone] = [await owner(), await personWithoutOrganization()];
      for (let made = 1; made < organizations; made++) {
        const name = made % 10 === 1 ? `${longName} ${made}` : `Studio ${made}`;
        const { organization } = await call('identity.CreateOrganization', { name }, operatorOf(''));
        await addMember(organization?.id ?? '', busy.email);
      }
    });
    afterAll(async () => {
      agent.close();
    });

    /** Each window is in a network of its own: wrong passwords of one count for no other. */
    const window = (options: object = {}) =>
      BrowserUser.open(browser(), {
        reducedMotion: 'reduce',
        extraHTTPHeaders: { 'x-forwarded-for': someAddress() },
        ...options,
      });

    async function signIn(page: Page, { email }: Person, password: string): Promise<void> {
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    }

    /** Resolves when the page with this heading has its style. */
    async function shown(page: Page, heading: string): Promise<void> {
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.waitForLoadState('load');
    }

    const useAnotherAccount = (page: Page) => page.getByRole('button', { name: 'Use another account' }).click();
    /** Changes the form as no person can: the server's answer is shown. */
    const tamper = (page: Page, script: string) => page.evaluate(script);

    test.each(looks)('every page has no accessibility violations and fits the window: %s', async (look, options) => {
      const { ada, app } = await personWithSecondFactor();
      const { url } = await agentLink('Desk agent');
      await using user = await window(options);
      const { page } = user;
      const found: string[] = [];
      let seen = 0;
      /** Looks at the page with this heading. */
      const lookAt = async (name: string, heading: string) => {
        await shown(page, heading);
        seen += 1;
        await screenshot(page, `${String(seen).padStart(2, '0')}-${name}-${look}`);
        const problems = await accessibilityViolations(user);
        const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
        if (overflow > 0) problems.push(`${overflow} px wider than the window`);
        found.push(...problems.map((problem) => `${name}: ${problem}`));
      };

      await page.goto(url);
      await lookAt('sign in', 'Sign in');
      await signIn(page, ada, 'wrong');
      await page.getByRole('alert').waitFor();
      await lookAt('wrong password', 'Sign in');
      await signIn(page, ada, ada.password);
      await lookAt('second factor', 'Enter your code');
      const code = page.getByLabel('Code of your authenticator app, or a backup code');
      await code.fill('not-a-code');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('alert').waitFor();
      await lookAt('wrong code', 'Enter your code');
      await code.fill(totp(app, 1));
      await page.getByRole('button', { name: 'Continue' }).click();
      await lookAt('consent', 'Connect Desk agent?');
      const { clientId } = await connectedAgent(ada);
      const again = new URL(url);
      for (const [name, value] of Object.entries({ client_id: clientId, redirect_uri: agentCallback })) again.searchParams.set(name, value);
      await page.goto(again.href);
      await lookAt('consent remembered', 'Continue to Test agent?');

      await useAnotherAccount(page);
      await signIn(page, alone, alone.password);
      await lookAt('no organization', 'No organization to connect');

      const { url: next } = await agentLink('An agent whose name is so long that it needs several lines of the page, even on a desktop');
      await page.goto(next);
      await useAnotherAccount(page);
      await signIn(page, busy, busy.password);
      await lookAt('many organizations', 'Connect An agent');
      await page.getByRole('radio', { name: `${longName} 11` }).check();
      await lookAt('organization chosen', 'Connect An agent');
      await tamper(page, `for (const radio of document.querySelectorAll('[type=radio]')) radio.remove()`);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('alert').waitFor();
      await lookAt('no organization chosen', 'Connect An agent');
      await tamper(page, `for (const token of document.querySelectorAll('[name=token]')) token.value = ''`);
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByText('The page was out of date').waitFor();
      await lookAt('out of date', 'Connect An agent');

      await page.goto(`${origin}/oauth/interaction/${randomUUID()}`);
      await lookAt('expired', 'This cannot go on');
      await page.goto(next.replace(/client_id=[^&]+/, 'client_id=unknown'));
      await lookAt('unknown agent', 'This cannot go on');
      await page.goto(next.replace('callback', 'elsewhere'));
      await lookAt('foreign redirect', 'This cannot go on');
      const unexpected = user.problems.filter((problem) => !/^\d{3} |status of \d{3}/.test(problem));
      expect([...found, ...unexpected]).toEqual([]);
    });

    /** The names of what the Tab key reaches; each must show that it has the focus. */
    async function tabStops(page: Page, count: number): Promise<string[]> {
      const stops: string[] = [];
      for (let pressed = 0; pressed < count; pressed++) {
        await page.keyboard.press('Tab');
        stops.push(
          await page.evaluate<string>(`(() => {
          const at = document.activeElement;
          const shown = [at, at.closest('label')].some((each) => each !== null && getComputedStyle(each).outlineStyle === 'solid');
          return (shown ? '' : 'invisible: ') + (at.closest('label') ?? at).textContent.trim().split(' as ')[0];
        })()`),
        );
      }
      return stops;
    }

    test('by keyboard alone a person signs in, chooses one of two organizations and allows; Enter on a choice denies', async () => {
      const ada = await owner();
      const { organization } = await call('identity.CreateOrganization', { name: 'A second studio' }, operatorOf(''));
      await addMember(organization?.id ?? '', ada.email);
      await using user = await window();
      const { page } = user;
      await page.goto((await agentLink('Desk agent', agent.callback)).url);
      // Browsers set the focus with the first frame.
      await page.locator('#email:focus').waitFor();
      await page.keyboard.type(ada.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(ada.password);
      await page.keyboard.press('Enter');
      await shown(page, 'Connect Desk agent?');
      expect(await tabStops(page, 2)).toEqual([expect.stringMatching(/^Invite and change clients/), 'A second studio']);
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate("document.querySelector('[type=radio]:checked').closest('label').textContent")).toBe(
        `Studio ${ada.email} as an owner`,
      );
      expect(await tabStops(page, 3)).toEqual(['All that you see', 'Deny', 'Allow']);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${agent.callback}?**`);
      expect(new URL(page.url()).searchParams.get('code')).toMatch(/./);

      await page.goto((await agentLink('Another agent', agent.callback)).url);
      await shown(page, 'Connect Another agent?');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${agent.callback}?**`);
      expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    });

    test.each([true, false])(
      'a person limits an agent to one project: by its name, or by its address without script (%s)',
      async (hasScript) => {
        const ada = await owner();
        const [own] = await Promise.all([makeProject(ada.api, undefined, { name: 'Krume' }), makeProject(ada.api)]);
        await using user = await window({ javaScriptEnabled: hasScript });
        const { page } = user;
        await page.goto((await agentLink('Desk agent', agent.callback)).url);
        await signIn(page, ada, ada.password);
        await page.getByRole('radio', { name: 'One project' }).check();
        if (hasScript) await page.getByLabel('Project', { exact: true }).selectOption('Krume');
        else await page.getByLabel('Id or address of the project').fill(`${origin}/projects/${own.id}`);
        await screenshot(page, `one project ${hasScript ? 'by name' : 'without script'}`);
        if (hasScript) expect(await accessibilityViolations(user)).toEqual([]);
        await page.getByRole('button', { name: 'Allow' }).click();
        await page.waitForURL(`${agent.callback}?**`);
        expect((await ada.api.get('/account/agents')).expect(200).body.agents).toMatchObject([{ project_id: own.id }]);
        expect(user.problems).toEqual([]);
      },
    );
  });

  describe('a passkey', () => {
    const button = { name: 'Sign in with a passkey' } as const;

    /** Script for a page: makes a passkey for the signed-in account. */
    const makePasskey = `(async () => {
    const post = async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/api/auth/passkey/' + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    };
    const { options } = await post('register-options', {});
    const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
    const { id, rawId, type, response } = credential.toJSON();
    const { clientDataJSON, attestationObject } = response;
    return (await post('register', { name: 'Laptop', response: { id, rawId, type, response: { clientDataJSON, attestationObject } } })).passkey.id;
  })()`;

    /** Makes a passkey of the person in a window, which is signed out then. Returns the id of the passkey. */
    async function withPasskey(user: BrowserUser, { cookies }: Person, url: string): Promise<string> {
      const { hostname: domain } = new URL(origin);
      await addDevice(user);
      await user.page.goto(url);
      await user.context.addCookies(
        [...cookies].map(([name, value]) => ({ name, value, domain, path: '/', secure: true, httpOnly: true })),
      );
      const id = await user.page.evaluate<string>(makePasskey);
      await user.context.clearCookies();
      return id;
    }

    test('a person signs in with a passkey on the page of an agent, without a second factor', async () => {
      const { ada } = await personWithSecondFactor();
      const { url } = await agentLink('Desk agent');
      await using user = await BrowserUser.open(browser());
      await withPasskey(user, ada, url);
      await user.page.goto(url);
      await user.page.getByRole('button', button).click();
      await user.page.getByText(`Signed in as ${ada.email}`).waitFor();
      await user.page.getByRole('button', { name: 'Allow' }).waitFor();
      expect(user.problems).toEqual([]);
    });

    test('a passkey that opens no account is told beside the form, which still takes the password', async () => {
      const { ada } = await personWithSecondFactor();
      const { url } = await agentLink('Desk agent');
      await using user = await BrowserUser.open(browser());
      const id = await withPasskey(user, ada, url);
      (await ada.auth('/passkey/remove', { id })).expect(200);
      await user.page.goto(url);
      await user.page.getByRole('button', button).click();
      await user.page.getByRole('alert').getByText('This passkey opens no account here.').waitFor();
      await user.page.getByLabel('Email').fill(ada.email);
      await user.page.getByLabel('Password').fill(ada.password);
      await user.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await user.page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    });

    test('without script there is no button that would do nothing', async () => {
      const { url } = await agentLink('Desk agent');
      await using user = await BrowserUser.open(browser(), { javaScriptEnabled: false });
      await user.page.goto(url);
      await user.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      expect(await user.page.getByRole('button', button).count()).toBe(0);
      expect(user.problems).toEqual([]);
    });
  });
});

describe('connect agent', () => {
  const screenshot = screenshotsIn('connect-agent');
  const origin = sharedPlatform().origins[0] ?? '';
  const [, [, onPhone]] = looks;

  /** Where the agent, a program on this computer, takes its code. */
  let agent: Awaited<ReturnType<typeof agentServer>>;
  let callback: string;

  beforeAll(async () => {
    agent = await agentServer();
    ({ callback } = agent);
  });
  afterAll(async () => {
    agent.close();
  });

  test.each(looks)(
    'without script a person signs in with a second factor, allows an agent, and it gets its tokens (%s)',
    async (look, options) => {
      const { ada, app } = await personWithSecondFactor();
      const { client_id, verifier, url } = await agentLink('Desk agent', callback);
      await using user = await BrowserUser.open(browser(), { ...options, javaScriptEnabled: false });
      const { page } = user;
      const show = (name: string) => screenshot(page, `${name}-${look}`);
      await page.goto(url);
      await show('1-sign-in');
      await page.getByLabel('Email').fill(ada.email);
      await page.getByLabel('Password').fill(ada.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await show('2-code');
      await page.getByLabel('Code of your authenticator app, or a backup code').fill(totp(app, 1));
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('this computer (127.0.0.1)').waitFor();
      await show('3-consent');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(`${callback}?**`);
      const code = new URL(page.url()).searchParams.get('code') ?? '';
      const form = { grant_type: 'authorization_code', code, client_id, redirect_uri: callback, code_verifier: verifier };
      const response = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
      expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ token_type: 'Bearer', scope: 'mcp' })]);
      expect(user.problems).toEqual([]);
    },
  );

  test('a wrong password is told beside the form, and a person who denies is sent back with access_denied', async () => {
    const ada = await owner();
    const { url } = await agentLink('An agent with a very long name that goes on and on, so that it needs several lines', callback);
    await using user = await BrowserUser.open(browser(), { ...onPhone, javaScriptEnabled: false });
    const { page } = user;
    await page.goto(url);
    await page.getByLabel('Email').fill(ada.email);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await screenshot(page, 'wrong-password');
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await screenshot(page, 'long-name');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${callback}?**`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  test('an address that was not registered is told on a page of ours', async () => {
    const { url } = await agentLink('Desk agent', callback);
    await using user = await BrowserUser.open(browser(), { ...onPhone, javaScriptEnabled: false });
    await user.page.goto(url.replace('callback', 'elsewhere'));
    await user.page.getByRole('heading', { name: 'This cannot go on' }).waitFor();
    await screenshot(user.page, 'dead-end');
  });

  /** The MCP Inspector as its package has it: a page that connects to servers directly. */
  async function inspector() {
    const version = '1.0.3';
    const folder = await cached(`mcp-inspector-client-${version}`, async (draft) => {
      const [archive = ''] = (
        await runCommand('npm', ['pack', '--silent', `@modelcontextprotocol/inspector-client@${version}`], { cwd: draft })
      ).split('\n');
      await runCommand('tar', ['xzf', archive], { cwd: draft });
    });
    const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
    const server = createServer(({ url = '' }, response) => {
      const { pathname } = new URL(url, origin);
      const file = path.join(folder, 'package/dist', pathname === '/' ? 'index.html' : path.normalize(pathname));
      if (!existsSync(file)) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'image/svg+xml' }).end(readFileSync(file));
    }).listen(0, 'localhost');
    await once(server, 'listening');
    return { server, url: `http://localhost:${(server.address() as AddressInfo).port}` };
  }

  test('the MCP Inspector, a page of another origin, connects to each address of the platform with a key, and lists its tools', async () => {
    const ours = await agency();
    const { server, url } = await inspector();
    const { port } = new URL(origin);
    try {
      for (const address of [
        `${origin}/api/mcp`,
        `${origin}/api/mcp/`,
        `http://127.0.0.1:${port}/api/mcp`,
        `http://[::1]:${port}/api/mcp/`,
      ]) {
        await using user = await BrowserUser.open(browser());
        const { page } = user;
        const headers = [{ name: 'Authorization', value: `Bearer ${ours.api.key}`, enabled: true }];
        await page.addInitScript((custom) => {
          localStorage.setItem('lastConnectionType', 'direct');
          localStorage.setItem('lastCustomHeaders', custom);
        }, JSON.stringify(headers));
        await page.goto(`${url}/?transport=streamable-http&serverUrl=${encodeURIComponent(address)}`);
        await page.getByRole('button', { name: 'Connect', exact: true }).click();
        await page.getByText('Connected', { exact: true }).waitFor();
        await page.getByRole('tab', { name: 'Tools' }).click();
        await page.getByRole('button', { name: 'List Tools' }).click();
        await page.getByText('get_preview_links').first().waitFor();
      }
    } finally {
      server.close();
    }
  });
});
