import { counter } from '@webkiln/runtime';

export const clientsPushedOut = counter({
  name: 'webkiln_oauth_clients_pushed_out_total',
  help: 'Registrations of agents that were deleted because too many were unused',
});
