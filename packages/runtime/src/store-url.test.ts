import { sendsPasswordInClear } from './store-url.ts';

test.each([
  'mongodb://ada:s3cret@db.example:27017/?replicaSet=rs0',
  'mongodb://ada:s3cret@127.0.0.1:27017,db.example:27017/?replicaSet=rs0',
  'mongodb://ada:s3cret@db.example/?tls=false',
  'mongodb+srv://ada:s3cret@db.example/?tls=false',
  'nats://identity:s3cret@webkiln-nats:4222',
  'redis://:s3cret@cache.example:6379',
  'smtp://ada:s3cret@mail.example:587',
  'smtp://ada:s3cret@mail.example:587?requireTLS=false',
])('%s sends its password in the clear', (url) => {
  expect(sendsPasswordInClear(url)).toBe(true);
});

test.each([
  'mongodb://ada:s3cret@a.example:27017,b.example:27017/?replicaSet=rs0&tls=true',
  'mongodb://ada:s3cret@db.example/?ssl=true',
  'mongodb+srv://ada:s3cret@db.example/',
  'mongodb://ada:s3cret@127.0.0.1:27017/',
  'mongodb://a.example:27017,b.example:27017/?replicaSet=rs0',
  'tls://identity:s3cret@nats.example:4222',
  'nats://nats.example:4222',
  'nats://identity:s3cret@localhost:4222',
  'rediss://:s3cret@cache.example:6379',
  'redis://:s3cret@[::1]:6379',
  'smtps://ada:s3cret@mail.example',
  'smtp://ada:s3cret@mail.example:587?requireTLS=true',
  'smtp://mail.example',
  's3cret:with-a-colon',
])('%s does not', (url) => {
  expect(sendsPasswordInClear(url)).toBe(false);
});
