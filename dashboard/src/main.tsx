import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { queryClient } from './api/query-client.ts';
import { Crashed } from './components/crashed.tsx';
import { Skeleton } from './components/skeleton.tsx';
import { Pages } from './pages.tsx';
import { showTheme } from './theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/surfaces.css';
import './styles/records.css';
import './styles/overlays.css';

showTheme();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <BrowserRouter>
        <Crashed>
          <Suspense fallback={<Skeleton />}>
            <Pages />
          </Suspense>
        </Crashed>
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
);
