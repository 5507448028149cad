/** What is copied to connect each kind of agent to the MCP server at `url`. Tests run it as it stands. */
export const agentSnippets = (url: string) => ({
  claude: url,
  'claude-code': `claude mcp add --transport http webkiln ${/[?&]/.test(url) ? `'${url}'` : url}`,
  chatgpt: url,
  cursor: json({ mcpServers: { webkiln: { url } } }),
  vscode: json({ servers: { webkiln: { type: 'http', url } } }),
  typescript: typescriptClient(url),
  python: pythonClient(url),
  go: goClient(url),
});

const json = (value: unknown) => JSON.stringify(value, null, 2);

const typescriptClient = (url: string) => `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const headers = { Authorization: \`Bearer \${process.env.WEBKILN_API_KEY}\` };
const client = new Client({ name: 'my-agent', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL('${url}'), { requestInit: { headers } }));
console.log(JSON.stringify((await client.callTool({ name: 'list_projects', arguments: {} })).structuredContent));
await client.close();`;

const pythonClient = (url: string) => `import asyncio, json, os
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

async def main():
    headers = {"Authorization": f"Bearer {os.environ['WEBKILN_API_KEY']}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        async with Client(streamable_http_client("${url}", http_client=http)) as client:
            print(json.dumps((await client.call_tool("list_projects", {})).structured_content))

asyncio.run(main())`;

const goClient = (url: string) => `package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type withKey struct{}

func (withKey) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+os.Getenv("WEBKILN_API_KEY"))
	return http.DefaultTransport.RoundTrip(request)
}

func main() {
	transport := &mcp.StreamableClientTransport{Endpoint: "${url}", HTTPClient: &http.Client{Transport: withKey{}}}
	client := mcp.NewClient(&mcp.Implementation{Name: "my-agent", Version: "1.0.0"}, nil)
	session, err := client.Connect(context.Background(), transport, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "list_projects"})
	if err != nil {
		log.Fatal(err)
	}
	json.NewEncoder(os.Stdout).Encode(result.StructuredContent)
}`;
