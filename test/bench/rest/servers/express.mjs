import express from 'express';

const answer = { id: '1', title: 'hello', url: 'http://example.test/1', hits: 1 };

express()
  .disable('x-powered-by')
  .disable('etag')
  .get('/items/:id', (_request, response) => response.json(answer))
  .listen(Number(process.env.PORT), '127.0.0.1');
