import type { KeyHash } from '../keys/key-secret.ts';
import { disconnectAgent } from './agents/disconnect-agent.ts';
import { listAgents } from './agents/list-agents.ts';
import { recordOauthUse } from './agents/record-oauth-use.ts';
import { verifyOauthTokens } from './agents/verify-oauth-tokens.ts';

export const oauthUseCases = (hashOf: KeyHash) => [verifyOauthTokens(hashOf), recordOauthUse, listAgents, disconnectAgent];
