import { verifyEmbedTokens } from './verify-embed-tokens.ts';

export const sessionUseCases = [verifyEmbedTokens];
