/** A server on the official TypeScript SDK with one trivial tool, as its examples build it: MODE=stateless or session. */
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import * as z from 'zod';

function newServer() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('greet', { description: 'Greets', inputSchema: { name: z.string() } }, async ({ name }) => ({
    content: [{ type: 'text', text: `Hello, ${name}` }],
  }));
  return server;
}

const sessions = new Map();

async function stateless(request, response) {
  const server = newServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on('close', () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
}

async function inSession(request, response) {
  let transport = sessions.get(request.headers['mcp-session-id']);
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await newServer().connect(transport);
  }
  await transport.handleRequest(request, response, request.body);
}

express()
  .use(express.json())
  .get('/ready', (_request, response) => response.json({}))
  .post('/mcp', process.env.MODE === 'session' ? inSession : stateless)
  .listen(Number(process.env.PORT), '127.0.0.1');
