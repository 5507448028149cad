import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';

export const membersQuery = () =>
  queryOptions({ queryKey: ['members'], queryFn: () => answer(api.GET('/account/members')).then(({ members }) => members) });

export const invitationsQuery = () =>
  queryOptions({
    queryKey: ['members', 'invitations'],
    queryFn: () => answer(api.GET('/account/invitations')).then(({ invitations }) => invitations),
  });
