import type { ReactNode } from 'react';

export const metadata = { title: 'Your website · Northlight Studio' };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body style={{ margin: 0, font: '16px/1.5 system-ui, sans-serif' }}>{children}</body>
    </html>
  );
}
