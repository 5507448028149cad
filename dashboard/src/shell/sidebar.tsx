import { NavLink } from 'react-router';
import { hasPermission } from '../api/permissions.ts';
import { useSession } from '../api/session.ts';
import { texts } from '../texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { navigation } from './navigation.ts';
import { OrganizationMenu } from './organization-menu.tsx';

export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const { role } = useSession();
  const groups = navigation
    .map(({ label, items }) => ({
      label,
      items: items.filter(({ permission }) => permission === undefined || hasPermission(role, permission)),
    }))
    .filter(({ items }) => items.length > 0);
  return (
    <div className="sidebar-content">
      <OrganizationMenu />
      <nav className="navigation" aria-label={texts.shell.navigation}>
        {groups.map(({ label, items }) => (
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
