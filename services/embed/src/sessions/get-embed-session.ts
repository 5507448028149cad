import { AppError } from '@webkiln/contract';
import { onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { toEmbedSession } from './embed-session.ts';
import { liveSession } from './embed-session-store.ts';

/** For the builder: what the token opens, and whose name it bears. */
export const getEmbedSession = (origin: string) =>
  handle('embed.GetEmbedSession', async (_request, caller) => {
    const { org_id, credential_id } = caller.principal;
    const session = await liveSession({ org_id }, credential_id);
    if (session === null) throw new AppError('invalid_embed_token');
    const { brand } = await call('identity.GetBrand', {}, onBehalf('embed', caller));
    const logo_url = brand?.logo_url === undefined ? undefined : `${origin}${brand.logo_url}`;
    return { embed_session: toEmbedSession(session), theme: { name: brand?.name ?? '', accent_color: brand?.accent_color, logo_url } };
  });
