import { Search } from 'lucide-react';
import { Button } from 'react-aria-components';
import { NavLink } from 'react-router';
import { useSession } from '../api/session.ts';
import { texts } from '../texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { navigationFor } from './navigation.ts';
import { OrganizationMenu } from './organization-menu.tsx';

interface Props {
  readonly onNavigate?: () => void;
  readonly onSearch: () => void;
}

const shortcut = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

export function Sidebar({ onNavigate, onSearch }: Props) {
  const { role } = useSession();
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
      </nav>
      <AccountMenu />
    </div>
  );
}
