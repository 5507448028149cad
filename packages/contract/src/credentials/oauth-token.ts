import { type CredentialText, credentialTexts } from './credential-text.ts';

/** The text of an OAuth access token. */
export type OauthToken = CredentialText<'wko_'>;

export const oauthTokenTexts = credentialTexts('wko_');
export const { parse: parseOauthToken, digest: oauthTokenDigest } = oauthTokenTexts;

/** An OAuth refresh token; only the authorization server reads it. */
export const refreshTokenTexts = credentialTexts('wkr_');
