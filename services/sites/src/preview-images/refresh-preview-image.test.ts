import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { connectTo, startReplica } from '@webkiln/rpc/testing';
import { scoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import { dropImages, imageOf, PreviewImageModel } from './preview-image-store.ts';
import { refreshPreviewImage } from './refresh-preview-image.ts';

useTestStore();

/** A project that projects-templates serves over real gRPC. Its images are the texts of its deploys' ids. */
class Published {
  readonly org = randomUUID();
  readonly project = randomUUID();
  live = randomUUID();
  suspended = false;
  deleted = false;
  pictured = '';
  readonly taken: string[] = [];
  /** Runs while a picture is taken. */
  meanwhile: () => void = () => undefined;
  isPhotogenic = true;

  readonly serve = () =>
    startReplica({
      'sites.ResolveSite': async () => {
        const site = { org_id: this.org, project_id: this.project, deploy_id: this.live, suspended: this.suspended, files: [] };
        return this.deleted ? { found: false } : { found: true, ...site };
      },
      'sites.SetPreviewImage': async ({ org_id, project_id, deploy_id }) => {
        if (this.deleted) throw new AppError('project_not_found');
        expect([org_id, project_id]).toEqual([this.org, this.project]);
        if (deploy_id !== this.live) return { shown: false };
        this.pictured = deploy_id;
        return { shown: true };
      },
    });

  readonly refresh = async (project = this.project) =>
    refreshPreviewImage(project, 'shop', {
      contents: { loadAll: () => Promise.reject(new Error('no page asks for it')) },
      siteOrigin: (name) => `https://${name}.sites.test`,
      screenshotter: {
        capture: async ({ url }) => {
          expect(url).toBe('https://shop.sites.test/');
          this.taken.push(this.live);
          const image = Buffer.from(this.live);
          this.meanwhile();
          return this.isPhotogenic ? { image, small: image } : undefined;
        },
      },
    });

  readonly image = async (deploy: string) => (await imageOf(this.project, deploy, false))?.content.toString();

  /** The deploys whose pictures stay, and those whose pictures go. */
  async kept(): Promise<{ stay: string[]; go: string[] }> {
    const images = await scoped(PreviewImageModel, { org_id: this.org }).find({ project_id: this.project }, { fields: ['drop_at'] });
    const idsOf = (which: typeof images) => which.map(({ _id }) => String(_id).split('/')[1] ?? '');
    return { stay: idsOf(images.filter(({ drop_at }) => drop_at === undefined)), go: idsOf(images.filter(({ drop_at }) => drop_at)) };
  }
}

let published: Published;
let disposal: () => Promise<void>;
beforeEach(async () => {
  published = new Published();
  const replica = await published.serve();
  const peers = connectTo('carried', [replica.port]);
  disposal = async () => {
    await peers[Symbol.asyncDispose]();
    await replica.drain();
  };
});
afterEach(() => disposal());

test('a live deploy is captured once, however many events name it, and its image is shown', async () => {
  const { live, refresh } = published;
  await Promise.all([refresh(), refresh()]);
  published.pictured = '';
  await refresh();
  expect(published.pictured).toBe(live);
  expect(await published.image(live)).toBe(live);
  expect(new Set(published.taken)).toEqual(new Set([live]));
  expect(await published.kept()).toEqual({ stay: [live], go: [] });
});

test('a new deploy replaces the image, which expires later; a rollback shows it again without a capture', async () => {
  const { live: first, refresh } = published;
  await refresh();
  const second = randomUUID();
  published.live = second;
  await refresh();
  expect(await published.kept()).toEqual({ stay: [second], go: [first] });
  expect(await published.image(first)).toBe(first);
  published.live = first;
  await refresh();
  expect(await published.kept()).toEqual({ stay: [first], go: [second] });
  expect([published.pictured, published.taken]).toEqual([first, [first, second]]);
});

test('an image that is ready after its deploy was replaced is not shown, and changes no newer one', async () => {
  const { live: first, refresh } = published;
  const second = randomUUID();
  let newer = Promise.resolve();
  published.meanwhile = () => {
    published.meanwhile = () => undefined;
    published.live = second;
    newer = refresh();
  };
  await refresh();
  await newer;
  expect(published.pictured).toBe(second);
  expect(await published.kept()).toEqual({ stay: [second], go: [first] });
});

test('nothing is stored for a project that is deleted meanwhile', async () => {
  const { refresh } = published;
  published.meanwhile = () => (published.deleted = true);
  await refresh();
  expect(await published.kept()).toEqual({ stay: [], go: [] });
});

test('a failed capture keeps the image of the earlier deploy', async () => {
  const { live: first, refresh } = published;
  await refresh();
  Object.assign(published, { live: randomUUID(), isPhotogenic: false });
  await refresh();
  expect(published.pictured).toBe(first);
  expect(await published.kept()).toEqual({ stay: [first], go: [] });
});

test('a suspended site, a deleted one and a name that belongs to another project are skipped', async () => {
  const { refresh } = published;
  await refresh(randomUUID());
  published.suspended = true;
  await refresh();
  published.deleted = true;
  await refresh();
  expect(published.taken).toEqual([]);
});

test('all images of a project can be dropped, and only by its organization', async () => {
  const { live, org, project, refresh } = published;
  await refresh();
  await dropImages({ org_id: randomUUID() }, project);
  expect(await published.image(live)).toBe(live);
  await dropImages({ org_id: org }, project);
  expect(await published.image(live)).toBeUndefined();
});
