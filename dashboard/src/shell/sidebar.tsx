import { BookOpen, Search } from 'lucide-react';
import { Button } from 'react-aria-components';
import { NavLink, useLocation } from 'react-router';
import { hasPermission } from '../api/permissions.ts';
import { useSession } from '../api/session.ts';
import { texts } from '../texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { docsAt, navigationFor } from './navigation.ts';
import { OrganizationMenu } from './organization-menu.tsx';

interface Props {
  readonly onNavigate?: () => void;
  readonly onSearch: () => void;
}

const shortcut = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

export function Sidebar({ onNavigate, onSearch }: Props) {
  const { role } = useSession();
  const { pathname } = useLocation();
  return (
    <div className="sidebar-content">
      <OrganizationMenu />
      <Button className="button search-button" onPress={onSearch}>
        <Search size={15} aria-hidden />
        {texts.shell.search.open}
        <kbd aria-hidden>{shortcut}</kbd>
      </Button>
      <nav className="navigation" aria-label={texts.shell.navigation}>
        {navigationFor(role).map(({ label, items }) => (
          <div key={label}>
            <h2>{label}</h2>
            <ul>
              {items.map(({ to, label, icon: Icon }) => (
                <li key={to}>
                  <NavLink to={to} end={to === '/'} onClick={onNavigate}>
                    <Icon size={16} strokeWidth={1.9} aria-hidden />
                    {label}
                  </NavLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {/* Clients see their agency's product, of which the docs say nothing. */}
        {hasPermission(role, 'seeOrganization') ? (
          <a href={docsAt(pathname)} target="_blank" rel="noreferrer">
            <BookOpen size={16} strokeWidth={1.9} aria-hidden />
            {texts.shell.documentation}
          </a>
        ) : null}
      </nav>
      <AccountMenu />
    </div>
  );
}
