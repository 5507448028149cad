import { texts } from '../texts.ts';

const t = texts.agents;

/** How one kind of agent is connected: what to do, and what to copy. */
export interface AgentGuide {
  readonly id: string;
  readonly label: string;
  readonly steps: readonly string[];
  readonly snippet: string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** The guides for the common agents, with the address of this platform's MCP server. */
export const agentGuides = (url: string): readonly AgentGuide[] => [
  { id: 'claude', label: 'Claude', steps: t.guides.claude, snippet: url },
  { id: 'claude-code', label: 'Claude Code', steps: t.guides.claudeCode, snippet: `claude mcp add --transport http webkiln ${url}` },
  { id: 'chatgpt', label: 'ChatGPT', steps: t.guides.chatgpt, snippet: url },
  { id: 'cursor', label: 'Cursor', steps: t.guides.cursor, snippet: json({ mcpServers: { webkiln: { url } } }) },
  { id: 'vscode', label: 'VS Code', steps: t.guides.vscode, snippet: json({ servers: { webkiln: { type: 'http', url } } }) },
  { id: 'typescript', label: t.typescript, steps: t.guides.sdk, snippet: typescriptClient(url) },
  { id: 'python', label: t.python, steps: t.guides.sdk, snippet: pythonClient(url) },
];

const typescriptClient = (url: string) => `import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const headers = { Authorization: \`Bearer \${process.env.WEBKILN_API_KEY}\` };
const client = new Client({ name: 'my-agent', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL('${url}'), { requestInit: { headers } }));
console.log((await client.callTool({ name: 'list_projects', arguments: {} })).structuredContent);
await client.close();`;

const pythonClient = (url: string) => `import asyncio, os
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

async def main():
    headers = {"Authorization": f"Bearer {os.environ['WEBKILN_API_KEY']}"}
    async with streamablehttp_client("${url}", headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            print((await session.call_tool("list_projects", {})).structuredContent)

asyncio.run(main())`;
