import { AppError } from '@webkiln/contract';
import { type IncomingCaller, onBehalf } from '@webkiln/messages';
import { call, handle, maskedFields } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { buildLinkAnywhere, buildLinkPage, changeBuildLink, deleteBuildLink, insertBuildLink, toBuildLink } from './build-link-store.ts';

const dayMs = 24 * 3_600_000;

const createBuildLink = (origin: string) =>
  handle('embed.CreateBuildLink', async ({ prompt = null, template_id = null, model = null, expires_in_days, allows_joining }, caller) => {
    if (prompt === null && template_id === null) {
      throw new AppError('validation_failed', [{ path: 'prompt', message: 'is required without template_id' }]);
    }
    if (template_id !== null) await call('templates.GetTemplate', { template_id }, onBehalf('embed', caller));
    if (allows_joining) await assertMayAllowJoining(caller);
    const created_at = new Date();
    const expires_at = new Date(created_at.getTime() + expires_in_days * dayMs);
    const wanted = { prompt, template_id, model, allows_joining };
    const link = { ...wanted, _id: newId(caller), org_id: caller.principal.org_id, expires_at, created_at };
    return { build_link: toBuildLink(origin, await insertBuildLink(caller, link)) };
  });

/** Developers make links, too; who becomes a client is decided by owners and admins. */
async function assertMayAllowJoining(caller: IncomingCaller): Promise<void> {
  if (caller.principal.role === 'developer') throw new AppError('role_missing');
  await call('clients.AssertDefaultPlan', {}, onBehalf('embed', caller));
}

const updateBuildLink = (origin: string) =>
  handle('embed.UpdateBuildLink', async (request, caller) => {
    const wanted = maskedFields(request) as { allows_joining?: boolean };
    if (wanted.allows_joining === true) await assertMayAllowJoining(caller);
    return { build_link: toBuildLink(origin, await changeBuildLink(caller, request.build_link_id, wanted)) };
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
  const { org_id, prompt, template_id, model, allows_joining } = await buildLinkAnywhere(build_link_id);
  return { org_id, prompt: prompt ?? undefined, template_id: template_id ?? undefined, model: model ?? undefined, allows_joining };
});

/** One refusal for links that never were, have ended or let nobody join: a guess gives nothing. */
const joinOrganization = handle('embed.JoinOrganization', async ({ build_link_id }, caller) => {
  const { account_id } = caller.principal;
  if (account_id === undefined) throw new AppError('session_required');
  const link = await buildLinkAnywhere(build_link_id).catch((cause: unknown) => {
    if (cause instanceof AppError && cause.code === 'build_link_not_found') throw new AppError('joining_not_allowed', [], { cause });
    throw cause;
  });
  const joining = { account_id, build_link_id: link.allows_joining ? link._id : undefined };
  return call('clients.JoinOrganization', joining, onBehalf('embed', caller, link.org_id));
});

/** `origin`: the platform's public address. */
export const buildLinkUseCases = (origin: string) => [
  createBuildLink(origin),
  listBuildLinks(origin),
  updateBuildLink(origin),
  removeBuildLink,
  openBuildLink,
  joinOrganization,
];
