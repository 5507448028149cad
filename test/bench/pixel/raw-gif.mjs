import { createServer } from 'node:http';

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
const headers = { 'content-type': 'image/gif', 'content-length': gif.byteLength, 'cache-control': 'no-store' };

createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(gif);
}).listen(Number(process.env.PORT), '127.0.0.1');
