import { type CredentialText, credentialTexts } from './credential-text.ts';

/** The text of an API key. */
export type ApiKey = CredentialText<'wk_'>;

export const apiKeyTexts = credentialTexts('wk_');
export const { format: formatApiKey, parse: parseApiKey, digest: apiKeyDigest } = apiKeyTexts;
