/** Texts of every page: what buttons, pagers, problems and the frame say. */

export const product = 'Webkiln';

export const documentTitle = (title: string, product: string) => `${title} · ${product}`;

export const loading = 'Loading';

export const never = 'Never';

export const none = 'None';

export const justNow = 'just now';

export const byApi = 'By API';

export const snippet = 'Text to copy';

export const graces = { '0': 'No longer', '1': '1 hour more', '24': '24 hours more' } as const;

export const actions = {
  retry: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  done: 'Done',
  copy: 'Copy',
  copied: 'Copied',
  save: 'Save changes',
  edit: 'Edit',
  delete: 'Delete',
  reload: 'Reload',
  more: 'More',
  csv: 'Export CSV',
  search: 'Search',
} as const;

export const pager = {
  label: 'Pages',
  shown: (from: number, to: number, total: number) => `${from}–${to} of ${total}`,
  previous: 'Previous',
  next: 'Next',
} as const;

export const problem = {
  unknown: 'Something went wrong. Try again in a moment.',
  unreachable: 'The platform cannot be reached. Check your connection and try again.',
  away: 'This is not available right now. Try again in a moment.',
  slow: 'This takes longer than usual. We are still waiting for an answer.',
  retrying: 'We can’t load this right now. Trying again…',
  signInAway: 'We can’t reach the sign-in service. Trying again…',
  requestId: (id: string) => `Request ID ${id}`,
  crashed: 'This page stopped working',
  crashedText: 'Reload it to go on. Nothing that was saved is lost.',
  suspended: 'This organization is suspended',
  suspendedText: 'Its sites show a notice, and its API keys are refused. Ask the operator of this platform why, and when it goes on.',
  notFound: 'There is no such page',
  notFoundText: 'The address may be misspelt, or what was here is gone.',
  home: 'Go to the overview',
  notAllowed: 'Your role does not include this page',
  notAllowedText: 'Ask an owner of your organization for what you need from it, or for another role.',
} as const;

export const shell = {
  skip: 'Skip to content',
  navigation: 'Main',
  openMenu: 'Open the menu',
  switchOrganization: 'Switch organization',
  account: 'Your account',
  settings: 'Account settings',
  search: {
    open: 'Search',
    title: 'Search everything',
    placeholder: 'Search pages, projects, clients, keys, or a request ID',
    results: 'Results',
    pages: 'Pages',
    nothing: 'Nothing found.',
  },
  signOut: 'Sign out',
  theme: { system: 'System look', light: 'Light', dark: 'Dark' },
  groups: { work: 'Work', business: 'Business', developers: 'Developers', organization: 'Organization' },
} as const;

export const roles = {
  owner: 'Owner',
  admin: 'Admin',
  developer: 'Developer',
  viewer: 'Viewer',
  client: 'Client',
} as const;

export const roleHints = {
  owner: 'Full access',
  admin: 'Full access, except to owners and the audit log',
  developer: 'Manages clients, projects, API keys and webhooks; cannot edit plans or see payments',
  viewer: 'Can see everything but payments, and change nothing',
} as const;
