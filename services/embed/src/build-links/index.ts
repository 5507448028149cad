import { AppError } from '@webkiln/contract';
import { onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { buildLinkAnywhere, buildLinkPage, deleteBuildLink, insertBuildLink, toBuildLink } from './build-link-store.ts';

const dayMs = 24 * 3_600_000;

const createBuildLink = (origin: string) =>
  handle('embed.CreateBuildLink', async ({ prompt = null, template_id = null, model = null, expires_in_days }, caller) => {
    if (prompt === null && template_id === null) {
      throw new AppError('validation_failed', [{ path: 'prompt', message: 'is required without template_id' }]);
    }
    if (template_id !== null) await call('templates.GetTemplate', { template_id }, onBehalf('embed', caller));
    const created_at = new Date();
    const expires_at = new Date(created_at.getTime() + expires_in_days * dayMs);
    const link = { _id: newId(caller), org_id: caller.principal.org_id, prompt, template_id, model, expires_at, created_at };
    return { build_link: toBuildLink(origin, await insertBuildLink(caller, link)) };
  });

const listBuildLinks = (origin: string) =>
  handle('embed.ListBuildLinks', async (page, caller) => {
    const { records, total, next_cursor } = await buildLinkPage(caller, page);
    return { build_links: records.map((link) => toBuildLink(origin, link)), total, next_cursor };
  });

const removeBuildLink = handle('embed.DeleteBuildLink', async ({ build_link_id }, caller) => {
  await deleteBuildLink(caller, build_link_id);
  return { deleted: true, id: build_link_id };
});

/** For the gateway: what the page of a link shows to anybody. */
const openBuildLink = handle('embed.OpenBuildLink', async ({ build_link_id }) => {
  const { org_id, prompt, template_id, model } = await buildLinkAnywhere(build_link_id);
  return { org_id, prompt: prompt ?? undefined, template_id: template_id ?? undefined, model: model ?? undefined };
});

/** `origin`: the platform's public address. */
export const buildLinkUseCases = (origin: string) => [createBuildLink(origin), listBuildLinks(origin), removeBuildLink, openBuildLink];
