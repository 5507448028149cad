import type { KeyHash } from '../keys/key-secret.ts';
import { createEmbedClient } from './create-embed-client.ts';
import { deleteEmbedClient } from './delete-embed-client.ts';
import { getEmbedCaps } from './get-embed-caps.ts';
import { getEmbedClient } from './get-embed-client.ts';
import { getEmbedOrigins } from './get-embed-origins.ts';
import { listEmbedClients } from './list-embed-clients.ts';
import { rotateEmbedClient } from './rotate-embed-client.ts';
import { updateEmbedClient } from './update-embed-client.ts';
import { verifyEmbedClient } from './verify-embed-client.ts';

export const embedClientUseCases = (hashOf: KeyHash) => [
  listEmbedClients,
  getEmbedClient,
  createEmbedClient(hashOf),
  updateEmbedClient,
  rotateEmbedClient(hashOf),
  deleteEmbedClient,
  verifyEmbedClient(hashOf),
  getEmbedOrigins,
  getEmbedCaps,
];
