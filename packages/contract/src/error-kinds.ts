/** The kinds of errors, each with its HTTP status and gRPC code. */
export const kinds = {
  invalid: { status: 400, grpc: 3 },
  unauthenticated: { status: 401, grpc: 16 },
  payment_required: { status: 402, grpc: 8 },
  forbidden: { status: 403, grpc: 7 },
  not_found: { status: 404, grpc: 5 },
  method_not_allowed: { status: 405, grpc: 12 },
  timed_out: { status: 408, grpc: 4 },
  conflict: { status: 409, grpc: 10 },
  precondition: { status: 412, grpc: 9 },
  too_large: { status: 413, grpc: 11 },
  unsupported_media: { status: 415, grpc: 3 },
  misdirected: { status: 421, grpc: 12 },
  unprocessable: { status: 422, grpc: 6 },
  rate_limited: { status: 429, grpc: 8 },
  internal: { status: 500, grpc: 13 },
  unavailable: { status: 503, grpc: 14 },
} as const;

export type ErrorKind = keyof typeof kinds;
