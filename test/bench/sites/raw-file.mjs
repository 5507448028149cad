import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const content = readFileSync(process.env.FILE);
const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': content.byteLength };

createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(content);
}).listen(Number(process.env.PORT), '127.0.0.1');
