import * as z from 'zod';

/**
 * Registry of what agents are told of a field or record: `schema.register(agentTexts, …)`. Descriptions are for the API
 * document; an agent reads the schemas of all tools with every conversation, and is told of what is in here alone.
 */
export const agentTexts = z.registry<{ readonly text: string } | { readonly asDescribed: true }>();
