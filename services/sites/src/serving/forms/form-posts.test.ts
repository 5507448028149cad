import { watchOrgPolicies } from '@webkiln/org-policy';
import { FormRefusal } from '../../forms/intake/form-refusal.ts';
import { useForms } from '../../testing/running-forms.ts';
import { post, publishedEvents, storedSubmissions } from '../../testing/sent-forms.ts';
import { newSite } from '../../testing/test-sites.ts';
import { formEntries } from './form-entries.ts';

describe('form posts', () => {
  const running = useForms();
  const send = (...args: Parameters<typeof post> extends [number, ...infer Rest] ? Rest : never) => post(running.port, ...args);

  const asJson = { type: 'application/json', headers: { accept: 'application/json' } };

  test('a form without JavaScript is stored, published once with its project, and redirected (303) to a thank-you page', async () => {
    const site = newSite();
    const own = `https://${site.name}.sites.test`;
    const { status, headers } = await send(site, 'name=Ada+L.&message=Hi%0D%0Athere', {
      headers: { origin: own, referer: `${own}/visit?a=b#c` },
    });
    expect([status, headers.location]).toEqual([303, '/_forms/contact/thanks']);
    const [stored, ...more] = await storedSubmissions(site);
    expect(more).toEqual([]);
    expect(stored).toMatchObject({
      form: 'contact',
      page: '/visit',
      spam: false,
      fields: [
        { name: 'name', values: ['Ada L.'] },
        { name: 'message', values: ['Hi\nthere'] },
      ],
    });
    const events = await publishedEvents(running.stream, site);
    expect(events).toMatchObject([
      {
        type: 'form.submitted',
        org_id: site.org_id,
        data: {
          form: {
            id: stored?._id,
            name: 'contact',
            page: '/visit',
            fields: { name: 'Ada L.', message: 'Hi\nthere' },
            submitted_at: stored?.submitted_at,
          },
          project: { id: site.project_id, name: site.name, description: null, tags: [] },
        },
      },
    ]);
    const thanks = await send(site, '', { path: headers.location, method: 'GET' });
    expect([thanks.status, thanks.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(thanks.headers['content-security-policy']).toContain("default-src 'none'");
    expect(thanks.body.toString()).toContain('Thank you');
  });

  test.each([
    ['a=1&a=2&b=3', 'application/x-www-form-urlencoded'],
    ['{"a": ["1", 2], "b": 3}', 'application/json; charset=utf-8'],
    ['\ufeff{"a": ["1", 2], "b": 3}', 'application/json'],
    [
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n2\r\n--x\r\nContent-Disposition: form-data; name="b"\r\n\r\n3\r\n--x\r\nContent-Disposition: form-data; name="photo"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--x--\r\n',
      'multipart/form-data; boundary=x',
    ],
  ])('fields are read from %s; a repeated name becomes a list', async (body, type) => {
    const site = newSite();
    expect((await send(site, body, { type })).status).toBeLessThan(400);
    expect((await publishedEvents(running.stream, site)).map(({ data }) => data.form.fields)).toEqual([{ a: ['1', '2'], b: '3' }]);
  });

  test('a JSON caller gets 200 and errors as JSON', async () => {
    const site = newSite();
    const ok = await send(site, '{"a":"b"}', asJson);
    expect([ok.status, JSON.parse(ok.body.toString())]).toEqual([200, { ok: true }]);
    const refused = await send(site, '{}', asJson);
    expect([refused.status, JSON.parse(refused.body.toString())]).toEqual([
      400,
      { error: expect.stringContaining('filled in'), code: 'form_empty' },
    ]);
  });

  test.each([
    ['/thanks?a=b#c', '/thanks?a=b#c'],
    ['/ü', '/%C3%BC'],
    ['//evil.example/', '/_forms/contact/thanks'],
    ['/\\evil.example', '/_forms/contact/thanks'],
    ['https://evil.example/', '/_forms/contact/thanks'],
    ['thanks.html', '/thanks.html'],
    ['https://OWN/danke/?a=b#c', '/danke/?a=b#c'],
    ['http://OWN/danke', '/danke'],
    ['https://OWN:8443/', '/_forms/contact/thanks'],
    ['https://OWN@evil.example/', '/_forms/contact/thanks'],
    ['https://OWN//evil.example/', '/_forms/contact/thanks'],
    ['/\t/evil.example', '/_forms/contact/thanks'],
    ['javascript:alert(1)', '/_forms/contact/thanks'],
    ['/a\r\nSet-Cookie: a=b', '/aSet-Cookie:%20a=b'],
  ])('_next %j redirects to %s, never to another site', async (next, location) => {
    const site = newSite();
    const _next = next.replace('OWN', `${site.name}.sites.test`);
    const { status, headers } = await send(site, new URLSearchParams({ a: 'b', _next }).toString());
    expect([status, headers.location, headers['set-cookie']]).toEqual([303, location, undefined]);
    expect((await storedSubmissions(site))[0]?.fields).toEqual([{ name: 'a', values: ['b'] }]);
  });

  test('a form of Formspree: the sender is in `_replyto`, its mail is about `_subject`, and what captchas add is left out', async () => {
    const [alone, beside] = [newSite(), newSite()];
    const controls = { _replyto: 'ada@example.org', _subject: 'New booking', _format: 'plain', 'g-recaptcha-response': 'x'.repeat(500) };
    await send(alone, new URLSearchParams({ message: 'Hi', ...controls }).toString());
    await send(beside, new URLSearchParams({ Email: 'desk@example.org', ...controls }).toString());
    const formsOf = async (site: typeof alone) => (await publishedEvents(running.stream, site)).map(({ data }) => data.form);
    expect(await formsOf(alone)).toMatchObject([{ subject: 'New booking', fields: { message: 'Hi', email: 'ada@example.org' } }]);
    const both = { Email: 'desk@example.org', reply_to: 'ada@example.org' };
    expect((await formsOf(beside)).map(({ fields }) => fields)).toEqual([both]);
  });

  const netlify = (attributes: string) =>
    `<!doctype html><form name="Kontakt für Gäste" method="POST" ${attributes}><input name="email"></form>`;
  const withName = (more: Record<string, string> = {}) =>
    new URLSearchParams({ 'form-name': 'Kontakt für Gäste', email: 'ada@example.org', ...more }).toString();
  const pages = {
    'index.html': '<!doctype html><h1>Start</h1>',
    'contact.html': netlify('data-netlify="true" netlify-honeypot="website"'),
    'order/index.html': netlify('netlify action="/thanks/?a=b"'),
    'thanks.html': '<!doctype html><h1>Thanks</h1>',
    'plain.html': '<!doctype html><form method="post"><input name="email"></form>',
  };

  test.each<[what: string, path: string, page: string | undefined, body: string, location: string]>([
    ['posts to its own page', '/contact', '/contact', withName(), '/_forms/kontakt-fur-gaste/thanks'],
    ['posts to its own page under another address', '/contact', '/contact.html', withName(), '/_forms/kontakt-fur-gaste/thanks'],
    [
      'lacks the hidden name, which Netlify adds to pages',
      '/contact',
      '/contact',
      'email=ada%40example.org',
      '/_forms/kontakt-fur-gaste/thanks',
    ],
    ['says not where it comes from', '/contact', undefined, withName(), '/_forms/kontakt-fur-gaste/thanks'],
    ['names a page to show', '/thanks/?a=b', '/order/', withName(), '/thanks/?a=b'],
    ['is sent by a script to the start page', '/', '/anywhere', withName(), '/'],
    ['names a page by `_next`', '/contact', '/contact', withName({ _next: '/danke' }), '/danke'],
    ['posts to the path of another host', '//evil.example/', '/contact', withName(), '/_forms/kontakt-fur-gaste/thanks'],
  ])('a form of Netlify’s that %s is stored under its name', async (_what, path, page, body, location) => {
    const site = newSite({ pages });
    const headers: Record<string, string> = page === undefined ? {} : { referer: `https://${site.name}.sites.test${page}` };
    const { status, headers: answered } = await send(site, body, { path, headers });
    expect([status, answered.location]).toEqual([303, location]);
    expect(await storedSubmissions(site)).toMatchObject([
      { form: 'kontakt-fur-gaste', spam: false, fields: [{ name: 'email', values: ['ada@example.org'] }] },
    ]);
  });

  test('the honeypot of a form of Netlify’s is the one that its page names, else `bot-field`', async () => {
    const site = newSite({ pages });
    const from = (page: string) => ({ path: page, headers: { referer: `https://${site.name}.sites.test${page}` } });
    await send(site, withName({ website: 'x' }), from('/contact'));
    await send(site, withName({ 'bot-field': 'x' }), from('/order/'));
    await send(site, withName({ website: '', n: '1', subject: 'Sales' }), from('/contact'));
    await send(site, withName({ website: 'https://ada.example', n: '2' }), from('/order/'));
    const stored = (await storedSubmissions(site)).map(({ spam, fields }) => [spam, fields.map(({ name }) => name).join()]);
    expect(stored.toSorted()).toEqual([
      [false, 'email,n,subject'],
      [false, 'email,website,n'],
      [true, 'email'],
      [true, 'email'],
    ]);
    const subjects = (await publishedEvents(running.stream, site)).map(({ data }) => data.form.subject);
    expect(new Set(subjects)).toEqual(new Set(['Sales', undefined]));
  });

  test('a POST to a page is refused as before if it has no such form, comes from elsewhere, or is no form', async () => {
    const site = newSite({ pages });
    const origin = { origin: 'https://evil.example' };
    expect((await send(site, 'email=a%40b.example', { path: '/plain' })).status).toBe(405);
    expect((await send(site, 'email=a%40b.example', { path: '/nowhere' })).status).toBe(405);
    expect((await send(site, withName(), { path: '/contact', headers: origin })).status).toBe(403);
    expect(await storedSubmissions(site)).toEqual([]);
  });

  test.each<[what: string, body: Buffer | string, type: string]>([
    ['ISO 8859-1 with `_charset_`', '_charset_=ISO-8859-1&name=M%FCller+%26%238364%3B', 'application/x-www-form-urlencoded'],
    ['Windows-1252 without saying so', 'name=M%FCller+%80', 'application/x-www-form-urlencoded'],
    ['another encoding by the type', 'name=M%81ller+%D5', 'application/x-www-form-urlencoded; charset=IBM866'],
    ['raw bytes', Buffer.from('name=M\xfcller \x80', 'latin1'), 'application/x-www-form-urlencoded'],
    ['UTF-8', 'name=M%C3%BCller+%E2%82%AC', 'application/x-www-form-urlencoded'],
    ['UTF-8, whatever `_charset_` says', '_charset_=windows-1252&name=M%C3%BCller+%E2%82%AC', 'application/x-www-form-urlencoded'],
    [
      'parts in ISO 8859-1',
      Buffer.from('--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nM\xfcller &#8364;\r\n--x--\r\n', 'latin1'),
      'multipart/form-data; boundary=x',
    ],
    [
      'parts in Windows-1251 with `_charset_`',
      Buffer.from(
        '--x\r\nContent-Disposition: form-data; name="_charset_"\r\n\r\nwindows-1251\r\n--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n\xc6\xf3\xea\r\n--x--\r\n',
        'latin1',
      ),
      'multipart/form-data; boundary=x',
    ],
  ])('what people write arrives in %s', async (what, body, type) => {
    const site = newSite();
    expect((await send(site, body, { type })).status).toBe(303);
    const said = what.includes('1251') ? 'Жук' : what.includes('another') ? 'MБller ╒' : 'Müller €';
    expect((await storedSubmissions(site)).map(({ fields }) => fields)).toEqual([[{ name: 'name', values: [said] }]]);
  });

  test('names of fields keep their umlauts, too', async () => {
    const site = newSite();
    await send(site, 'Stra%DFe=Gr%FCner+Weg');
    const part = '--x\r\nContent-Disposition: form-data; name="Stra\xdfe"\r\n\r\nGr\xfcner Weg\r\n--x--\r\n';
    await send(site, Buffer.from(part, 'latin1'), { type: 'multipart/form-data; boundary=x' });
    const field = [{ name: 'Straße', values: ['Grüner Weg'] }];
    expect((await storedSubmissions(site)).map(({ fields }) => fields)).toEqual([field, field]);
  });

  const jsonForPeople = { type: 'application/json', headers: { accept: 'text/html' } };
  const many = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=1`).join('&');
  const file = '--x\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n';

  test.each([
    ['nothing', '', {}, 400, 'Nothing was filled in'],
    ['blanks', 'a=+&b=', {}, 400, 'Nothing was filled in'],
    ['controls alone', '_next=/&_other=x', {}, 400, 'Nothing was filled in'],
    ['broken JSON', '{"a":', jsonForPeople, 400, 'damaged'],
    ['nested JSON', '{"a":{"b":1}}', jsonForPeople, 400, 'damaged'],
    ['a list', '["a"]', jsonForPeople, 400, 'damaged'],
    ['broken multipart', '--y\r\n', { type: 'multipart/form-data; boundary=x' }, 400, 'damaged'],
    ['multipart without a boundary', file, { type: 'multipart/form-data' }, 400, 'damaged'],
    ['101 fields', many(101), {}, 400, 'more than 100 fields'],
    ['10,000 fields', many(10_000), {}, 400, 'more than 100 fields'],
    ['a long name', `${'n'.repeat(101)}=1`, {}, 400, 'too long'],
    ['a long value', `a=${'v'.repeat(10_001)}`, {}, 400, 'too long'],
    [
      'a file without a name',
      file.replace('; filename="a.txt"', '').replace('\r\n\r\n', '\r\nContent-Type: application/octet-stream\r\n\r\n'),
      { type: 'multipart/form-data; boundary=x' },
      400,
      'Files cannot be sent',
    ],
    ['a file', file, { type: 'multipart/form-data; boundary=x' }, 400, 'Files cannot be sent'],
    ['another origin', 'a=b', { headers: { origin: 'https://evil.example' } }, 403, 'another website'],
    ['a neighbour', 'a=b', { headers: { origin: 'https://other.sites.test' } }, 403, 'another website'],
    ['a hidden origin', 'a=b', { headers: { origin: 'null', 'sec-fetch-site': 'cross-site' } }, 403, 'another website'],
    ['no type', 'a=b', { type: '' }, 415, 'not understood'],
    ['another type', 'a=b', { type: 'text/plain' }, 415, 'not understood'],
    ['more than 256 KB', `a=${'v'.repeat(256 * 1024)}`, {}, 413, '40 KB'],
    ['more than 256 KB in pieces', `a=${'v'.repeat(256 * 1024)}`, { headers: { 'transfer-encoding': 'chunked' } }, 413, '40 KB'],
    ['bytes that are not UTF-8', Buffer.from(`a=${'\xff'.repeat(9_000)}&`.repeat(20), 'latin1'), {}, 413, '40 KB'],
    ['more than 40 KB of text', ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}=${'v'.repeat(9_000)}`).join('&'), {}, 413, '40 KB'],
    ['more than 40 KB as JSON', ['a', 'b', 'c'].map((name) => `${name}=${'%22'.repeat(9_000)}`).join('&'), {}, 413, '40 KB'],
    ['a name of another form', 'a=b', { form: '-x' }, 404, 'no form here'],
    ['a long name of a form', 'a=b', { form: 'x'.repeat(65) }, 404, 'no form here'],
    ['a path below a form', 'a=b', { path: '/_forms/contact/more' }, 404, 'no form here'],
  ])('%s is refused with a page that says so, and not stored', async (_what, body, more, status, text) => {
    const site = newSite();
    const { body: page, ...response } = await send(site, body, more);
    expect([response.status, response.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.toString()).toContain(text);
    expect(await storedSubmissions(site)).toEqual([]);
  });

  test('forms at the limits are accepted: 100 fields, 10,000 characters, a hidden origin of the same site, a name in capitals', async () => {
    const site = newSite();
    const sameOrigin = { headers: { origin: 'null', 'sec-fetch-site': 'same-origin' } };
    expect((await send(site, many(100), sameOrigin)).status).toBe(303);
    expect((await send(site, `${'n'.repeat(100)}=${'ü'.repeat(10_000)}`, { form: 'Con_Tact-1' })).status).toBe(303);
    expect((await storedSubmissions(site)).map(({ form, fields }) => [form, fields.length])).toEqual([
      ['contact', 100],
      ['con_tact-1', 1],
    ]);
  });

  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('%s on a form is 405 and names POST', async (method) => {
    const { status, headers } = await send(newSite(), '', { method });
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });

  test('POST to the thank-you page is 405', async () => {
    expect((await send(newSite(), 'a=b', { form: 'contact/thanks' })).status).toBe(405);
  });

  test('a page that was opened before its site moved can still send its form', async () => {
    const moved = newSite({ moved_to: 'https://elsewhere.sites.test' });
    expect((await send(moved, 'name=Ada')).status).toBe(303);
    expect(await storedSubmissions(moved)).toHaveLength(1);
  });

  test('an unknown site is 404, a suspended one 503, one whose project was deleted 404', async () => {
    const unknown = { ...newSite(), name: 'nobody' };
    expect((await send(unknown, 'a=b')).status).toBe(404);
    const suspended = newSite({ suspended: true });
    const deleted = newSite({ deleted: true });
    expect([(await send(suspended, 'a=b')).status, (await send(deleted, 'a=b')).status]).toEqual([503, 404]);
    expect([await storedSubmissions(suspended), await storedSubmissions(deleted)]).toEqual([[], []]);
    for (const [site, status, code] of [
      [unknown, 404, 'site_not_found'],
      [suspended, 503, 'site_suspended'],
      [deleted, 404, 'form_not_found'],
    ] as const) {
      const refused = await send(site, '{"a":"b"}', asJson);
      expect([refused.status, JSON.parse(refused.body.toString())]).toEqual([status, { error: expect.any(String), code }]);
    }
  });

  test('without projects-templates, a form is 503 and not stored', async () => {
    const site = newSite();
    expect((await send(site, 'a=1')).status).toBe(303);
    await running.stopProjects();
    const { status, headers, body } = await send(site, 'a=2');
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    expect(body.toString()).toContain('could not be kept');
    expect(await storedSubmissions(site)).toHaveLength(1);
  });
});

describe('form entries', () => {
  const part = (disposition: string, content: string, type = '') =>
    `--x\r\nContent-Disposition: form-data; ${disposition}\r\n${type === '' ? '' : `Content-Type: ${type}\r\n`}\r\n${content}\r\n`;
  const nobodysFile = part('name="photo"; filename=""', '', 'application/octet-stream');
  const text = `${part('name="a"', 'one\r\n\r\ntwo')}${nobodysFile}${part('name="ü"', '√')}--x--\r\n`;
  const withFile = text.replace('filename=""', 'filename="a.png"').replace('octet-stream\r\n\r\n', 'octet-stream\r\n\r\nbytes');

  const read = async (body: string | Buffer, type = 'multipart/form-data; boundary=x') => [...(await formEntries(Buffer.from(body), type))];

  test('multipart texts are read, and an empty file input is ignored', async () => {
    expect(await read(text)).toEqual([
      ['a', 'one\r\n\r\ntwo'],
      ['ü', '√'],
    ]);
    await expect(read(withFile)).rejects.toEqual(expect.objectContaining({ reason: 'file' }));
  });

  test.each([
    ['texts', text],
    ['a file', withFile],
  ])('a body of %s that is truncated at, or lacks, any byte is read or refused without crashing', async (_what, whole) => {
    const body = Buffer.from(whole);
    for (let at = 0; at < body.byteLength; at++) {
      for (const broken of [body.subarray(0, at), Buffer.concat([body.subarray(0, at), body.subarray(at + 1)])]) {
        const outcome = await read(broken).catch((error: unknown) => error);
        expect(Array.isArray(outcome) || outcome instanceof FormRefusal).toBe(true);
      }
    }
  });

  test.each([
    [
      'a=1&b=%C3%BC+x&a=2&c',
      [
        ['a', '1'],
        ['b', 'ü x'],
        ['a', '2'],
        ['c', ''],
      ],
    ],
    [
      '%zz=%&=b&&',
      [
        ['%zz', '%'],
        ['', 'b'],
      ],
    ],
  ])('%s is decoded as browsers encode it', async (body, entries) => {
    expect(await read(body, 'application/x-www-form-urlencoded')).toEqual(entries);
  });
});

describe('form quota', () => {
  const now = new Date();
  const running = useForms({ maxPerSiteHour: 2, now: () => now });

  test('submissions beyond the hourly quota of a site are 429 and not stored, as HTML and as JSON', async () => {
    const site = newSite();
    for (const field of ['a', 'b']) expect((await post(running.port, site, `${field}=1`)).status).toBe(303);
    const page = await post(running.port, site, 'c=1');
    expect([page.status, page.headers['retry-after'], page.headers['content-type']]).toEqual([429, '3600', 'text/html; charset=utf-8']);
    expect(page.body.toString()).toContain('too many messages');
    const json = await post(running.port, site, '{"d":"1"}', { type: 'application/json' });
    expect([json.status, JSON.parse(json.body.toString())]).toEqual([429, { error: expect.any(String), code: 'too_many_submissions' }]);
    expect(await storedSubmissions(site)).toHaveLength(2);
  });

  test("submissions beyond an organization's quota of the day are 429 until midnight UTC and not stored, as HTML and as JSON", async () => {
    watchOrgPolicies('sites', { QUOTA_FORM_SUBMISSIONS: 0 });
    const site = newSite();
    const page = await post(running.port, site, 'a=1');
    expect([page.status, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expect(page.body.toString()).toContain('This site takes no more messages today.');
    const json = await post(running.port, site, '{"b":"1"}', { type: 'application/json' });
    expect([json.status, JSON.parse(json.body.toString())]).toEqual([429, { error: expect.any(String), code: 'too_many_submissions' }]);
    const reopens = new Date(Date.now() + Number(json.headers['retry-after']) * 1000);
    expect([reopens.getUTCHours() * 60 + reopens.getUTCMinutes()]).toEqual([0]);
    expect(await storedSubmissions(site)).toEqual([]);
  });
});
