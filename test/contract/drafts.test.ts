import { createHash, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { Draft, File, Picture } from '@webkiln/contract';
import { type Zippable, zipSync } from 'fflate';
import sharp from 'sharp';
import { type Agency, agency } from '../harness/agency.ts';
import { phonePhoto, png, pngOfSize, sent, somePicture } from '../harness/pictures.ts';
import { makeProject } from './fixtures.ts';

const text = (words: string) => Buffer.from(words);
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const zipped = { 'content-type': 'application/zip' };
const mb = 1024 * 1024;

describe('drafts', () => {
  let ours: Agency;
  beforeAll(async () => {
    ours = await agency(undefined, { rateLimit: 1000 });
  });

  async function project(files?: Record<string, string>): Promise<string> {
    const path = `/projects/${(await makeProject(ours.api)).id}`;
    if (files !== undefined) (await ours.api.put(`${path}/files`, { files })).expect(200);
    return path;
  }
  const sendZip = (path: string, body: Uint8Array) => ours.api.send(`${path}/files`, { method: 'PUT', body, headers: zipped });
  const pathsOf = async (path: string) =>
    (await ours.api.get(`${path}/files`)).expect(200).body.files.map((file: { path: string }) => file.path);
  const textOf = async (path: string) => (await ours.api.raw(path)).text();

  test('writeDraft: answers 200 with the files and what publishing them would change', async () => {
    const path = await project();
    const files = { 'index.html': '<h1>Hi</h1>', 'a.bin': { content: 'AAECAw==', encoding: 'base64' } };
    const { body, headers } = (await ours.api.put(`${path}/files`, { files })).expect(200);
    expect(body.files.map((file: unknown) => File.parse(file).path)).toEqual(['a.bin', 'index.html']);
    expect(Draft.parse(body.draft)).toMatchObject({ files: 2, up_to_date: false, added: { count: 2, paths: ['a.bin', 'index.html'] } });
    const read = (await ours.api.get(`${path}/draft`)).expect(200);
    expect(read.body).toEqual({ draft: body.draft });
    expect(read.headers.get('etag')).toBe(headers.get('etag'));
  });

  test('getDraft, publishProject: what is published is up to date, until the draft changes', async () => {
    const path = await project({ 'index.html': 'one', 'b.txt': 'b' });
    (await ours.api.post(`${path}/publish`, {})).expect(200);
    const draft = async () => (await ours.api.get(`${path}/draft`)).expect(200).body.draft;
    expect(await draft()).toMatchObject({ up_to_date: true });
    (await ours.api.put(`${path}/files/index.html`, { file: 'two' })).expect(200);
    (await ours.api.delete(`${path}/files/b.txt`)).expect(200);
    expect(await draft()).toMatchObject({
      up_to_date: false,
      changed: { count: 1, paths: ['index.html'] },
      removed: { count: 1, paths: ['b.txt'] },
    });
  });

  test('writeDraft: a content that is there is named by its sha256; 409 names what is missing, and changes nothing', async () => {
    const path = await project({ 'index.html': 'Hi', 'b.txt': 'b' });
    const send = (files: object) => ours.api.put(`${path}/files`, { files });
    (await send({ 'index.html': { sha256: sha256('Hi') }, 'c.txt': { sha256: sha256('b') } })).expect(200);
    expect(await pathsOf(path)).toEqual(['c.txt', 'index.html']);
    expect(await textOf(`${path}/files/c.txt`)).toBe('b');
    const refused = (await send({ 'index.html': 'New', 'd.txt': { sha256: sha256('unknown') } })).expect(409, 'contents_missing');
    expect(refused.body.details).toEqual([{ path: 'files.d.txt', message: expect.any(String) }]);
    expect(await textOf(`${path}/files/index.html`)).toBe('Hi');
    (await send({ 'index.html': { sha256: 'x' } })).expect(400, 'validation_failed');
    const files = { 'index.html': { sha256: sha256('Hi') } };
    (await ours.api.post(`${path}/publish`, { builtFiles: files })).expect(400, 'validation_failed');
  });

  test('writeDraft: takes a zip, and a folder around all of its files is left out', async () => {
    const path = await project();
    const files = { 'site/index.html': text('zipped'), 'site/img/a.txt': text('a'), '__MACOSX/._a': text('x') };
    (await sendZip(path, zipSync(files))).expect(200);
    expect(await pathsOf(path)).toEqual(['img/a.txt', 'index.html']);
    expect(await textOf(`${path}/files/index.html`)).toBe('zipped');
    (await sendZip(path, zipSync({ 'index.html': Buffer.alloc(25 * mb, 'a') }))).expect(200);
  });

  test.each<[string, () => Zippable | Uint8Array, RegExp]>([
    ['of 200 MB of zeros', () => ({ 'index.html': Buffer.alloc(200 * mb) }), /at most 25 MB together, unpacked/],
    ['with a path that climbs', () => ({ 'index.html': text('a'), '../../etc/cron.d/x': text('b') }), /must be normalised/],
    ['without index.html', () => ({ 'a/about.html': text('a') }), /must hold an index\.html/],
    ['with a reserved path', () => ({ 'index.html': text('a'), 't.js': text('b') }), /reserved for the platform/],
    ['that is text', () => text('{"files":{}}'), /make the zip again/],
    ['of nothing', () => new Uint8Array(), /make the zip again/],
  ])('writeDraft: answers 400 to a zip %s, says what to correct, and changes nothing', async (_, make, sentence) => {
    const path = await project({ 'index.html': 'Hi' });
    const made = make();
    const { body } = (await sendZip(path, made instanceof Uint8Array ? made : zipSync(made))).expect(400, 'validation_failed');
    expect(body.error).toMatch(sentence);
    expect(await pathsOf(path)).toEqual(['index.html']);
  });

  test('writeDraft: an upload that breaks off changes nothing, and its repeat is one revision', async () => {
    const path = await project({ 'index.html': 'Hi' });
    const large = Buffer.from(zipSync({ 'index.html': text('whole'), 'large.bin': [randomBytesOf(5 * mb), { level: 0 }] }));
    const broken = httpRequest(`${ours.api.baseUrl}${path}/files`, {
      method: 'PUT',
      headers: { ...zipped, authorization: `Bearer ${ours.api.key}`, 'content-length': large.byteLength },
    });
    const ended = new Promise((resolve) => broken.once('error', resolve));
    await new Promise((resolve) => broken.write(large.subarray(0, 3 * mb), resolve));
    broken.destroy(new Error('broken off'));
    await ended;
    expect(await pathsOf(path)).toEqual(['index.html']);
    for (let repeat = 0; repeat < 2; repeat++) (await sendZip(path, large)).expect(200);
    expect((await ours.api.get(`${path}/revisions`)).expect(200).body.total).toBe(2);
  });

  test('writeProjectFile, deleteProjectFile: answer 200 to the ETag of the file, and 412 to an outdated one', async () => {
    const path = await project({ 'index.html': 'Hi' });
    const file = `${path}/files/index.html`;
    const etag = (await ours.api.raw(file)).headers.get('etag') ?? '';
    const written = (await ours.api.put(file, { file: 'Mine' }, { 'if-match': etag })).expect(200);
    expect(File.parse(written.body.file)).toMatchObject({ path: 'index.html', size: 4, sha256: sha256('Mine') });
    (await ours.api.put(file, { file: 'Late' }, { 'if-match': etag })).expect(412, 'edited_meanwhile');
    (await ours.api.delete(file, { 'if-match': etag })).expect(412, 'edited_meanwhile');
    expect(await textOf(file)).toBe('Mine');
    (await ours.api.put(`${path}/files/a%2F%C3%BC.css`, { file: 'a {}' })).expect(200);
    expect(await pathsOf(path)).toEqual(['a/ü.css', 'index.html']);
    const { body } = (await ours.api.delete(file, { 'if-match': written.headers.get('etag') ?? '' })).expect(200);
    expect(body).toEqual({ deleted: true, path: 'index.html' });
    (await ours.api.delete(file)).expect(404, 'file_not_found');
  });

  test('writeProjectFile: answers 400 to a wrong path or content, and 413 beyond 40 MB', async () => {
    const path = await project();
    const refused = (await ours.api.put(`${path}/files/..%2Fa`, { file: 'x' })).expect(400, 'validation_failed');
    expect(refused.body.error).toContain('must be normalised');
    (await ours.api.put(`${path}/files/a.txt`, { file: { content: 'a b!', encoding: 'base64' } })).expect(400, 'validation_failed');
    (await ours.api.put(`${path}/files/a.txt`, { file: 'a'.repeat(41 * mb) })).expect(413, 'body_too_large');
    expect(await pathsOf(path)).toEqual([]);
  });

  test('writeDraft, writeProjectFile: answer 415 to a body of another type', async () => {
    const path = await project();
    const send = (where: string, type: string) =>
      ours.api.send(`${path}${where}`, { method: 'PUT', body: 'x', headers: { 'content-type': type } });
    const refused = (await send('/files', 'text/html')).expect(415, 'content_type_unsupported');
    expect(refused.body.error).toBe('Content-Type: must be application/json or application/zip.');
    (await send('/files/a.html', 'application/zip')).expect(415, 'content_type_unsupported');
  });

  const heading = [2, 0, 0];
  const edit = (path: string, text: string, { page = 'index.html', before = 'Hi', at = heading } = {}) =>
    ours.api.post(`${path}/texts`, { page, at, before, text });
  const pageOf = (body: string) => `<!doctype html><html>\n<head><title>Hi</title></head>\n<body>${body}</body></html>`;

  test('editText: changes that text alone, as one revision by its author; script in it is text', async () => {
    const written = pageOf("<h1 class=a>Hi</h1><script>let hi = 'Hi'</script><p>Hi");
    const path = await project({ 'index.html': written });
    const { revision } = (await edit(path, '  <script>alert(1)</script> & more ')).expect(200).body;
    expect(revision).toMatchObject({ number: 2, origin: 'edit', current: true });
    expect(await textOf(`${path}/files/index.html`)).toBe(
      written.replace('<h1 class=a>Hi</h1>', '<h1 class=a>&lt;script&gt;alert(1)&lt;/script&gt; &amp; more</h1>'),
    );
    expect((await ours.api.get(`${path}/history`)).expect(200).body.history[0]).toMatchObject({
      origin: 'edit',
      message: 'Changed “Hi” to “<script>alert(1)</script> & more”',
      author: { kind: 'api_key', name: expect.any(String), agent: null },
    });
  });

  test('editText: answers 409 to a text that is not there, in a script or made by scripts, and changes nothing', async () => {
    const path = await project({ 'index.html': pageOf('<h1>Hi</h1><script>Hi</script><p><b>Hi</p><p>x'), 'a.css': 'Hi' });
    for (const place of [{ before: 'Other' }, { at: [2, 1, 0] }, { at: [2, 9] }, { at: [2, 0] }, { page: 'a.css', at: [1, 0] }]) {
      (await edit(path, 'x', place)).expect(409, 'text_not_there');
    }
    (await edit(path, 'x', { page: 'none.html' })).expect(404, 'file_not_found');
    (await edit(path, ' ')).expect(400, 'validation_failed');
    expect((await ours.api.get(`${path}/revisions`)).expect(200).body.total).toBe(1);
  });

  test('editText: answers 403 without permission, and 404 to foreign and unknown projects', async () => {
    const path = await project({ 'index.html': pageOf('<h1>Hi</h1>') });
    const other = await agency();
    const body = { page: 'index.html', at: heading, before: 'Hi', text: 'x' };
    (await ours.readOnly.post(`${path}/texts`, body)).expect(403, 'permission_missing');
    (await other.api.post(`${path}/texts`, body)).expect(404, 'project_not_found');
    (await ours.api.post(`/projects/${randomUUID()}/texts`, body)).expect(404, 'project_not_found');
  });

  test('getDraft, writeDraft, writeProjectFile, deleteProjectFile: answer 403 without permission, 404 to foreign and unknown ids', async () => {
    const path = await project({ 'index.html': 'Hi' });
    const other = await agency();
    const files = { 'index.html': 'x' };
    (await ours.readOnly.put(`${path}/files`, { files })).expect(403, 'permission_missing');
    (await ours.writeOnly.get(`${path}/draft`)).expect(403, 'permission_missing');
    for (const [api, where] of [
      [other.api, path],
      [ours.api, `/projects/${randomUUID()}`],
      [ours.api, '/projects/x'],
    ] as const) {
      (await api.get(`${where}/draft`)).expect(404, 'project_not_found');
      (await api.put(`${where}/files`, { files })).expect(404, 'project_not_found');
      (await api.send(`${where}/files`, { method: 'PUT', body: zipSync({ 'index.html': text('x') }), headers: zipped })).expect(404);
      (await api.put(`${where}/files/index.html`, { file: 'x' })).expect(404, 'project_not_found');
      (await api.delete(`${where}/files/index.html`)).expect(404, 'project_not_found');
    }
    expect(await textOf(`${path}/files/index.html`)).toBe('Hi');
  });
});

/** Bytes that no compression makes smaller, the same each time. */
function randomBytesOf(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0, state = 1; at < size; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    bytes[at] = state >> 16;
  }
  return bytes;
}

describe('pictures', () => {
  let ours: Agency;
  let photo: Buffer;
  beforeAll(async () => {
    [ours, photo] = await Promise.all([agency(undefined, { rateLimit: 1000 }), phonePhoto()]);
  });

  const newProject = async () => `/projects/${(await makeProject(ours.api)).id}`;
  const contentOf = async (path: string, file: string) =>
    Buffer.from(await (await ours.api.raw(`${path}/files/${encodeURIComponent(file)}`)).arrayBuffer());

  test('uploadPicture: a photo of a phone becomes upright WebP in three sizes, without the place where it was taken', async () => {
    const path = await newProject();
    const body = { name: 'Our Térrace (1).JPG', file: sent(photo), alt: 'Our terrace' };
    const { picture } = (await ours.api.post(`${path}/pictures`, body)).expect(201).body;
    expect(Picture.parse(picture)).toMatchObject({ name: 'our-terrace-1', alt: 'Our terrace', used_by: [] });
    const made = [480, 960, 1512].map((width) => [`pictures/our-terrace-1-${width}.webp`, 'webp', width, Math.round((width * 4) / 3)]);
    const shown = picture.files.map((file: Picture['files'][number]) => [file.path, file.format, file.width, file.height]);
    expect(shown).toEqual([...made, ['pictures/our-terrace-1.jpg', 'jpeg', 1200, 1600]]);
    for (const { path: file, format, width, height } of picture.files) {
      const content = await contentOf(path, file);
      const { orientation = 1, exif, ...found } = await sharp(content).metadata();
      expect({ ...found, orientation, exif }).toMatchObject({ format, width, height, orientation: 1, exif: undefined });
      expect(content.includes('Somebody')).toBe(false);
    }
    const again = (await ours.api.post(`${path}/pictures`, { ...body, name: 'copy.jpg' })).expect(201).body;
    expect(again.picture).toEqual(picture);
    expect((await ours.api.get(`${path}/pictures`)).expect(200).body.pictures).toEqual([picture]);
  });

  test('uploadPicture: a small picture is not enlarged, and keeps its transparency', async () => {
    const path = await newProject();
    const logo = await sharp({ create: { width: 300, height: 120, channels: 4, background: '#0a02' } })
      .png()
      .toBuffer();
    const { picture } = (await ours.api.post(`${path}/pictures`, { name: 'logo', file: sent(logo) })).expect(201).body;
    expect(picture.files.map((file: { path: string }) => file.path)).toEqual(['pictures/logo-300.webp', 'pictures/logo.png']);
    expect((await sharp(await contentOf(path, 'pictures/logo.png')).metadata()).hasAlpha).toBe(true);
  });

  test('uploadPicture: what is no picture, damaged, too large or a program is refused with a sentence, and leaves nothing', async () => {
    const path = await newProject();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const hostile: [name: string, content: Buffer, sentence: RegExp][] = [
      ['huge.png', pngOfSize(10_000, 10_000), /more than 50 megapixels/],
      ['cut.jpg', photo.subarray(0, photo.byteLength / 2), /damaged or incomplete/],
      ['drawing.svg', svg, /SVG can hold programs/],
      ['drawing.png', svg, /SVG can hold programs/],
      ['photo.jpg', Buffer.from('<html><script>alert(1)</script></html>'), /no picture that can be read/],
      ['photo.heic', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), /HEIC and AVIF cannot be read/],
      ['empty.png', Buffer.alloc(0), /no picture that can be read/],
    ];
    for (const [name, content, sentence] of hostile) {
      const { body } = (await ours.api.post(`${path}/pictures`, { name, file: sent(content) })).expect(400, 'picture_refused');
      expect(body.error).toMatch(sentence);
    }
    expect((await ours.api.get(`${path}/files`)).expect(200).body.files).toEqual([]);
    expect((await ours.api.get(`${path}/revisions`)).expect(200).body.revisions).toEqual([]);
  });

  test('uploadPicture: of a file that is a picture and a program nothing is kept but its pixels, whatever its name says', async () => {
    const path = await newProject();
    const program = '<script>alert(1)</script>';
    const polyglot = Buffer.concat([png('#1a2b3c', 16, program), Buffer.from(program)]);
    const { picture } = (await ours.api.post(`${path}/pictures`, { name: '../../x.html', file: sent(polyglot) })).expect(201).body;
    for (const { path: file, format } of picture.files) {
      expect(file).toMatch(/^pictures\/x(-16\.webp|\.jpg)$/);
      const response = await ours.api.raw(`${path}/files/${encodeURIComponent(file)}`);
      expect(response.headers.get('content-type')).toBe(`image/${format}`);
      expect(await response.text()).not.toContain('alert');
    }
  });

  test('updatePicture, deletePicture: a picture is described, and stays as long as a page shows it', async () => {
    const path = await newProject();
    const { picture } = (await ours.api.post(`${path}/pictures`, { name: 'oven', file: somePicture() })).expect(201).body;
    const page = `<img src="/${picture.files[0].path}" alt="">`;
    (await ours.api.put(`${path}/files/menu.html`, { file: page })).expect(200);
    const described = (await ours.api.patch(`${path}/pictures/${picture.id}`, { alt: 'The oven' })).expect(200).body.picture;
    expect(described).toEqual({ ...picture, alt: 'The oven', used_by: ['menu.html'] });
    const refused = (await ours.api.delete(`${path}/pictures/${picture.id}`)).expect(409, 'picture_in_use').body;
    expect(refused.error).toBe('menu.html shows this picture: replace it there first.');
    expect((await ours.api.get(`${path}/pictures`)).expect(200).body.pictures).toEqual([described]);

    (await ours.api.put(`${path}/files/menu.html`, { file: 'No picture' })).expect(200);
    expect((await ours.api.delete(`${path}/pictures/${picture.id}`)).expect(200).body).toEqual({ deleted: true, id: picture.id });
    (await ours.api.delete(`${path}/pictures/${picture.id}`)).expect(404, 'picture_not_found');
    const { files } = (await ours.api.get(`${path}/files`)).expect(200).body;
    expect(files.map((file: { path: string }) => file.path)).toEqual(['menu.html', 'webkiln-pictures.json']);
  });

  test('listPictures: somebody who writes nonsense into the list loses the list, and no upload', async () => {
    const path = await newProject();
    (await ours.api.post(`${path}/pictures`, { name: 'oven', file: somePicture() })).expect(201);
    (await ours.api.put(`${path}/files/webkiln-pictures.json`, { file: '{"version":1,"pictures":[{"id":"$ne"}]}' })).expect(200);
    expect((await ours.api.get(`${path}/pictures`)).expect(200).body.pictures).toEqual([]);
    const { picture } = (await ours.api.post(`${path}/pictures`, { name: 'oven', file: somePicture() })).expect(201).body;
    expect(picture.name).toBe('oven-2');
    expect((await ours.api.get(`${path}/pictures`)).expect(200).body.pictures).toEqual([picture]);
  });
});
