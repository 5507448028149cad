import { Menu as MenuIcon } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Button, Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { Outlet, useLocation } from 'react-router';
import { hasPermission } from '../api/permissions.ts';
import { useSession } from '../api/session.ts';
import { useBrand } from '../brand/brand.ts';
import { rememberBrand } from '../brand/remembered-brand.ts';
import { useBrandStyles } from '../brand/use-brand-styles.ts';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { ErrorBoundary } from '../components/feedback/error-boundary.tsx';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { Card } from '../components/layout/card.tsx';
import { NotFoundPage } from '../components/layout/not-found-page.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { itemAt, navigationFor } from './navigation.ts';
import { Sidebar } from './sidebar.tsx';
import '../styles/shell.css';

const SearchPalette = lazy(async () => ({ default: (await import('./search-palette.tsx')).SearchPalette }));

/** The frame around every page of a signed-in user. */
export function Shell() {
  const { organization, role } = useSession();
  const brand = useBrand();
  useBrandStyles(brand);
  useEffect(() => rememberBrand(brand));
  const { pathname } = useLocation();
  const [menuIsOpen, setMenuOpen] = useState(false);
  const [searchIsOpen, setSearchOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const shownPath = useRef(pathname);

  // Moves focus to the new page, so that screen readers announce it from its start.
  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);

  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      setSearchOpen(true);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);

  return (
    <div className="shell">
      <a className="skip" href="#main">
        {texts.shell.skip}
      </a>
      <div className="sidebar">
        <Sidebar onSearch={() => setSearchOpen(true)} />
      </div>
      <header className="topbar">
        <Button className="button quiet icon" aria-label={texts.shell.openMenu} onPress={() => setMenuOpen(true)}>
          <MenuIcon size={18} aria-hidden />
        </Button>
        <span>{organization?.name}</span>
      </header>
      <ModalOverlay className="overlay drawer-overlay" isOpen={menuIsOpen} onOpenChange={setMenuOpen} isDismissable>
        <Modal className="drawer">
          <Dialog className="sidebar" aria-label={texts.shell.navigation}>
            <Sidebar
              onNavigate={() => setMenuOpen(false)}
              onSearch={() => {
                setMenuOpen(false);
                setSearchOpen(true);
              }}
            />
          </Dialog>
        </Modal>
      </ModalOverlay>
      {searchIsOpen ? (
        <Suspense fallback={null}>
          <SearchPalette pages={navigationFor(role).flatMap(({ items }) => items)} onClose={() => setSearchOpen(false)} />
        </Suspense>
      ) : null}
      <main id="main" ref={main} tabIndex={-1}>
        <ErrorBoundary key={pathname} missing={<NotFoundPage />}>
          <Suspense fallback={<Skeleton />}>
            <AllowedPage />
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

/** The page at the address, if the role has its item in the menu. For others nothing is requested. */
function AllowedPage() {
  const { role } = useSession();
  const item = itemAt(useLocation().pathname);
  if (item?.permission === undefined || hasPermission(role, item.permission)) return <Outlet />;
  return (
    <Page title={item.label}>
      <Card>
        <EmptyState title={texts.problem.notAllowed} text={texts.problem.notAllowedText} />
      </Card>
    </Page>
  );
}
