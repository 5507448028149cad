import { type CredentialText, credentialTexts } from './credential-text.ts';

/** The text of an embed token, with which the page of an agency's own user builds. */
export type EmbedToken = CredentialText<'embt_'>;

export const embedTokenTexts = credentialTexts('embt_');
export const { parse: parseEmbedToken, digest: embedTokenDigest } = embedTokenTexts;

/** The secret of an embed client. */
export const embedSecretTexts = credentialTexts('embs_');
