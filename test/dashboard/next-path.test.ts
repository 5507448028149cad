import { nextPath } from '../../dashboard/src/sign-in/next-path.ts';

const opened = (next: string) => nextPath(new URLSearchParams({ next }));

test.each(['/', '/projects?status=live#top', '/accept-invitation?token=a'])('%j is opened after sign-in', (next) => {
  expect(opened(next)).toBe(next);
});

test.each([
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  'evil.example',
])('%j leads to the home page, never to another host', (next) => {
  expect(opened(next)).toBe('/');
});
