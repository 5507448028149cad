/** The resources that OAuth tokens are for (RFC 8707), below the origin; the first one is the default. */
export const oauthResourcePaths = ['/api/mcp', '/api/v1'] as const;

/** Describes the authorization server, or the resource at a path. */
type Metadata = 'server' | (typeof oauthResourcePaths)[number];

/**
 * Every path at which clients look for metadata: at the root, with the path of the resource behind it (RFC 8414 §3,
 * RFC 9728 §3), and below the MCP server, where some clients append the well-known part instead.
 */
export const oauthMetadataPaths: ReadonlyMap<string, Metadata> = new Map([
  ['/.well-known/oauth-authorization-server', 'server'],
  ['/.well-known/oauth-authorization-server/api/mcp', 'server'],
  ['/.well-known/oauth-authorization-server/api/v1', 'server'],
  ['/.well-known/openid-configuration', 'server'],
  ['/.well-known/openid-configuration/api/mcp', 'server'],
  ['/.well-known/openid-configuration/api/v1', 'server'],
  ['/api/mcp/.well-known/oauth-authorization-server', 'server'],
  ['/api/mcp/.well-known/openid-configuration', 'server'],
  ['/.well-known/oauth-protected-resource', '/api/mcp'],
  ['/.well-known/oauth-protected-resource/api/mcp', '/api/mcp'],
  ['/.well-known/oauth-protected-resource/api/v1', '/api/v1'],
  ['/api/mcp/.well-known/oauth-protected-resource', '/api/mcp'],
]);

/** The paths of the authorization server: everything below /oauth, and the metadata. */
export const oauthPaths: readonly string[] = ['/oauth', ...oauthMetadataPaths.keys()];
