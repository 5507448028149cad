import type { ServerResponse } from 'node:http';
import type { AppError } from '@webkiln/contract';

const parseError = -32700;
const invalidRequest = -32600;
const internalError = -32603;
const refused = -32000;

const jsonRpcCode = ({ code, status }: AppError): number => {
  if (code === 'malformed_json') return parseError;
  if (status >= 500) return internalError;
  return status === 400 ? invalidRequest : refused;
};

/** Sends an error as JSON-RPC 2.0 (§5.1) with its HTTP status. `headers` are names and values, one after the other. */
export function sendMcpError(
  response: ServerResponse,
  error: AppError,
  { id = null, requestId, headers = [] }: { id?: string | number | null; requestId?: string; headers?: readonly string[] } = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const data = { code: error.code, ...(requestId !== undefined && { request_id: requestId }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code: jsonRpcCode(error), message: error.message, data } });
  if (error.status === 429 || error.status === 503) response.setHeader('Retry-After', '1');
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] as string, headers[at + 1] as string);
  response.writeHead(error.status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
}
