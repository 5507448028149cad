import { Menu as MenuIcon } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Button, Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { Outlet, useLocation } from 'react-router';
import { useSession } from '../api/session.ts';
import { useBrand } from '../brand/brand.ts';
import { rememberBrand } from '../brand/remembered.ts';
import { useLook } from '../brand/use-look.ts';
import { Crashed } from '../components/crashed.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { texts } from '../texts.ts';
import { Sidebar } from './sidebar.tsx';
import '../styles/shell.css';

/** What is around every page of somebody who is signed in. */
export function Shell() {
  const { organization } = useSession();
  const brand = useBrand();
  useLook(brand);
  useEffect(() => rememberBrand(brand));
  const { pathname } = useLocation();
  const [menuIsOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);

  // A new page is announced, and read from its beginning.
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);

  return (
    <div className="shell">
      <a className="skip" href="#main">
        {texts.shell.skip}
      </a>
      <div className="sidebar">
        <Sidebar />
      </div>
      <header className="topbar">
        <Button className="button quiet icon" aria-label={texts.shell.openMenu} onPress={() => setMenuOpen(true)}>
          <MenuIcon size={18} aria-hidden />
        </Button>
        <span>{organization?.name}</span>
      </header>
      <ModalOverlay className="veil drawer-veil" isOpen={menuIsOpen} onOpenChange={setMenuOpen} isDismissable>
        <Modal className="drawer">
          <Dialog className="sidebar" aria-label={texts.shell.navigation}>
            <Sidebar onNavigate={() => setMenuOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
      <main id="main" ref={main} tabIndex={-1}>
        <Crashed key={pathname}>
          <Suspense fallback={<Skeleton />}>
            <Outlet />
          </Suspense>
        </Crashed>
      </main>
    </div>
  );
}
