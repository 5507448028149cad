import { queryOptions } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';

export const membersQuery = () =>
  queryOptions({ queryKey: ['members'], queryFn: () => readJson(api.GET('/account/members')).then(({ members }) => members) });

export const invitationsQuery = () =>
  queryOptions({
    queryKey: ['members', 'invitations'],
    queryFn: () => readJson(api.GET('/account/invitations')).then(({ invitations }) => invitations),
  });
