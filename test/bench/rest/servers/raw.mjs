import { createServer } from 'node:http';

const answer = JSON.stringify({ id: '1', title: 'hello', url: 'http://example.test/1', hits: 1 });
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(answer) };

createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(answer);
}).listen(Number(process.env.PORT), '127.0.0.1');
