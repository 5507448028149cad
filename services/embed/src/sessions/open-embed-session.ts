import { type IncomingCaller, onBehalf } from '@webkiln/messages';
import { call, handle, type IncomingRequest } from '@webkiln/rpc';
import { embedUser } from '../users/embed-user-store.ts';
import { openSession, toEmbedSession } from './embed-session.ts';
import { insertSession } from './embed-session-store.ts';

type Request = IncomingRequest<'embed.OpenEmbedSession'>;

/** A project whose user states no name. */
const unnamed = 'New website';
const maxNameLength = 80;

/** A program's own user enters the builder: with its client's projects if it has a client, else with its own. */
export const openEmbedSession = handle('embed.OpenEmbedSession', async (request, caller) => {
  const { org_id } = caller.principal;
  const user = await embedUser(caller, request);
  const { project } = await call(
    'projects.OpenUserProject',
    {
      ...{ project_id: request.project_id, new_project_id: request.new_project_id, template_id: request.template_id },
      create: request.template_id !== undefined || request.prompt !== undefined,
      name: projectName(request),
      ...{ client_id: user.client_id ?? undefined, max_sites: user.max_sites, joined_by_link: user.joined_by_link },
    },
    ofUser(caller, user.user_id),
  );
  const session = openSession(
    {
      _id: request.session_id,
      org_id,
      embed_client_id: request.embed_client_id,
      external_user_id: request.external_user_id,
      user_id: user.user_id,
      org_client_id: user.client_id,
      project_id: project?.id ?? '',
      prompt: request.prompt ?? null,
      token_hash: request.token_digest,
    },
    new Date(),
  );
  return { embed_session: toEmbedSession(await insertSession(caller, session)), project };
});

/** The first words of the prompt; a person can rename the project. */
const projectName = ({ prompt }: Request): string => prompt?.trim().split('\n', 1)[0]?.slice(0, maxNameLength).trim() || unnamed;

/** A call in embed's own name that sees the projects of this user only. */
function ofUser(caller: IncomingCaller, user_id: string) {
  const own = onBehalf('embed', caller);
  return { ...own, principal: { ...own.principal, user_id } };
}
