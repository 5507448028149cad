import { mailedLink, mailsTo } from '../harness/mails.ts';
import { owner, Person } from '../harness/person.ts';
import { png } from '../harness/pictures.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { sendForm } from '../harness/visitor.ts';
import { activeClient, inviteClient, makeProject } from './fixtures.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';
const activationLink = /http\S+\/activate\?token=[\w.-]+/;
const hostile = '<script>alert(1)</script>';

const base64 = (content: Buffer | string) => Buffer.from(content).toString('base64');
/** Gives an organization a logo; returns the path of the image. */
const withLogo = async (boss: Person, content: Buffer): Promise<string> =>
  (await boss.api.patch('/account/organization', { logo: base64(content) })).expect(200).body.organization.logo_url;

const branded = { accent_color: '#ffee00', mail_sender_name: 'Ines of Harbour', contact_email: 'hello@harbour.example' };

describe('the logo', () => {
  test('updateOrganization: serves the logo publicly at a content-addressed URL, as an image that is cached forever', async () => {
    const boss = await owner();
    const picture = png('#20405f');
    const path = await withLogo(boss, picture);
    expect(path).toMatch(/^\/logos\/[0-9a-f]{64}$/);
    const answer = await fetch(`${origin}${path}`);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(picture);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  });

  test('a logo that also contains HTML is served as image/png with nosniff', async () => {
    const path = await withLogo(await owner(), png('#20405f', 8, hostile));
    const answer = await fetch(`${origin}${path}`);
    expect(await answer.text()).toContain(hostile);
    expect([answer.headers.get('content-type'), answer.headers.get('x-content-type-options')]).toEqual(['image/png', 'nosniff']);
  });

  test('updateOrganization: gives a new logo a new URL, and no URL after the logo is removed', async () => {
    const boss = await owner();
    const first = await withLogo(boss, png('#112233'));
    const second = await withLogo(boss, png('#445566'));
    expect(second).not.toBe(first);
    expect((await boss.api.get('/account/organization')).expect(200).body.organization.logo_url).toBe(second);
    const { organization } = (await boss.api.patch('/account/organization', { logo: null })).expect(200).body;
    expect(organization.logo_url).toBeNull();
    (await boss.api.patch('/account/organization', { name: 'Without' })).expect(200);
  });

  test('an unknown logo answers 404', async () => {
    for (const name of ['0'.repeat(64), 'nothing', 'A'.repeat(64)]) {
      expect((await fetch(`${origin}/logos/${name}`, { headers: { accept: 'image/*' } })).status).toBe(404);
    }
  });

  test.each([
    ['SVG with a script', base64(`<svg xmlns="http://www.w3.org/2000/svg">${hostile}</svg>`)],
    ['HTML', base64(`<!doctype html>${hostile}`)],
    ['a GIF', base64('GIF89a...')],
    ['a URL', 'https://example.com/logo.png'],
    ['too large', base64(Buffer.concat([png('#112233'), Buffer.alloc(256 * 1024)]))],
    ['empty', ''],
  ])('updateOrganization: answers 400 to a logo that is %s', async (_what, logo) => {
    const boss = await owner();
    const refused = (await boss.api.patch('/account/organization', { logo })).expect(400, 'validation_failed');
    expect(refused.body.details).toMatchObject([{ path: 'logo' }]);
    expect((await boss.api.get('/account/organization')).body.organization.logo_url).toBeNull();
  });

  test('updateOrganization: answers 413 to a logo of 5 MB without reading it', async () => {
    const logo = base64(Buffer.concat([png('#112233'), Buffer.alloc(5 * 1024 * 1024)]));
    (await (await owner()).api.patch('/account/organization', { logo })).expect(413, 'body_too_large');
  });
});

describe('mails and pages for a client', () => {
  test('the invitation mail has the name, the accent color and the logo of the organization, and replies go to its contact', async () => {
    const boss = await owner();
    const path = await withLogo(boss, png('#20405f'));
    (await boss.api.patch('/account/organization', { ...branded, name: 'Harbour Studio' })).expect(200);
    const { email } = await inviteClient(boss.api);
    await mailedLink(platform, email, activationLink);
    const [mail = ''] = mailsTo(platform, email);
    expect(mail).toMatch(/^From: Ines of Harbour <no-reply@localhost>\r?$/m);
    expect(mail).toMatch(/^Reply-To: Ines of Harbour <hello@harbour\.example>\r?$/m);
    expect(mail).toMatch(/^Subject: Harbour Studio has invited you\r?$/m);
    expect(mail).toContain(`<img src="${origin}${path}" alt="Harbour Studio"`);
    expect(mail).toContain('background:#ffee00;color:#000000');
    expect(mail).not.toContain('Webkiln');
  });

  test('the activation page and the password reset mail have the brand of the organization', async () => {
    const boss = await owner();
    const path = await withLogo(boss, png('#20405f'));
    (await boss.api.patch('/account/organization', { ...branded, name: 'Harbour & Co' })).expect(200);
    const { email } = await inviteClient(boss.api);
    const link = await mailedLink(platform, email, activationLink);
    const shown = await (await fetch(link)).text();
    expect(shown).toContain(`<img src="${path}" alt="Harbour &amp; Co">`);
    expect(shown).toContain('<title>You are invited · Harbour &amp; Co</title>');
    const [, sheet] = /<link rel="stylesheet" href="(\/accents\/[^"]+)">/.exec(shown) ?? [];
    const style = await fetch(`${origin}${sheet}`);
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(await style.text()).toContain('background: #ffee00; color: #000000');

    const client = new Person({ email });
    const body = new URLSearchParams({ token: new URL(link).searchParams.get('token') ?? '', password: client.password });
    const done = await fetch(`${origin}/activate`, { method: 'POST', body });
    expect(await done.text()).toContain(`<img src="${path}" alt="Harbour &amp; Co">`);
    (await client.auth('/request-password-reset', { email })).expect(200);
    await mailedLink(platform, email, /http\S+\/reset-password\?token=[\w.-]+/);
    const mail = mailsTo(platform, email).at(-1);
    expect(mail).toMatch(/^From: Ines of Harbour </m);
    expect(mail).toContain(`src="${origin}${path}"`);
  });

  test('the mail about a form submission has the sender name of the organization', async () => {
    const boss = await owner();
    (await boss.api.patch('/account/organization', branded)).expect(200);
    const client = await activeClient(boss.api);
    const { id } = await makeProject(boss.api, client, { name: `Site of ${boss.email.split('@')[0]}` });
    const { url } = (await boss.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'Hi' } })).expect(200).body;
    expect((await sendForm(origin, `${url}/_forms/contact`, { name: 'Ada' })).status).toBe(303);
    await mailedLink(platform, client.email, /Sent from (http\S+)/);
    expect(mailsTo(platform, client.email).at(-1)).toMatch(/^From: Ines of Harbour <no-reply@localhost>\r?$/m);
  });

  test('an organization without a brand is shown by its name', async () => {
    const boss = await owner();
    const { email } = await inviteClient(boss.api);
    const shown = await (await fetch(await mailedLink(platform, email, activationLink))).text();
    expect(shown).toContain(`<p class="brand">Studio ${boss.email}</p>`);
    expect(shown).not.toContain('/accents/');
    // In a mail no part of a name becomes a link.
    const named = `Studio ${boss.email}`.replace('@', ' at ').replace('.com', '. com');
    expect(mailsTo(platform, email)[0]).toContain(`From: "${named}" <no-reply@localhost>`);
  });
});

test('mails to members come from the platform', async () => {
  const boss = await owner();
  (await boss.api.patch('/account/organization', branded)).expect(200);
  (await boss.auth('/request-password-reset', { email: boss.email })).expect(200);
  await mailedLink(platform, boss.email, /http\S+\/reset-password\?token=[\w.-]+/);
  expect(mailsTo(platform, boss.email).at(-1)).toMatch(/^From: Webkiln </m);
});

test.each(['red', '12345', '1234567', '123456%0a', '12345g'])('the style sheet of the invalid color %s answers 404', async (color) => {
  expect((await fetch(`${origin}/accents/${color}.css`, { headers: { accept: 'text/css' } })).status).toBe(404);
});
