import { type handleUnaryCall, status, type UntypedServiceImplementation } from '@grpc/grpc-js';

type Check = handleUnaryCall<{ service: string }, { status: string }>;

/** grpc.health.v1, for probes: it needs no principal. Only the process as a whole has a state. */
export class Health {
  serving = false;

  readonly #check: Check = ({ request }, callback) => {
    if (request.service !== '') return callback({ code: status.NOT_FOUND, details: 'ask for the empty service name' });
    callback(null, { status: this.serving ? 'SERVING' : 'NOT_SERVING' });
  };

  readonly handlers = { Check: this.#check } as UntypedServiceImplementation;
}
