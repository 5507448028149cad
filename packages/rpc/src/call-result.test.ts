import { status } from '@grpc/grpc-js';
import { AppError } from '@webkiln/contract';
import { errorToResult, failedResult, resultToError } from './call-result.ts';

test.each([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED, status.INTERNAL, status.UNKNOWN, status.ABORTED])(
  'gRPC status %s without a code of a service is a failure of transport: `unavailable`',
  (code) => expect(resultToError(failedResult(code, 'RST_STREAM')).code).toBe('unavailable'),
);

test.each([status.UNIMPLEMENTED, status.UNAUTHENTICATED, status.PERMISSION_DENIED])(
  'gRPC status %s is our own mistake: `internal`',
  (code) => {
    expect(resultToError(failedResult(code, 'no such method')).code).toBe('internal');
  },
);

test('a service that fails by itself is `internal`, whatever the transport', () => {
  expect(resultToError(errorToResult(new AppError('internal'))).code).toBe('internal');
});
