import { NavLink } from 'react-router';
import { may } from '../api/may.ts';
import { useSession } from '../api/session.ts';
import { texts } from '../texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { navigation } from './navigation.ts';
import { OrganizationMenu } from './organization-menu.tsx';

/** Organization, navigation and account. */
export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const { role } = useSession();
  const groups = navigation
    .map(({ label, places }) => ({ label, places: places.filter(({ act }) => act === undefined || may(role, act)) }))
    .filter(({ places }) => places.length > 0);
  return (
    <div className="sidebar-content">
      <OrganizationMenu />
      <nav className="navigation" aria-label={texts.shell.navigation}>
        {groups.map(({ label, places }) => (
          <div key={label}>
            <h2>{label}</h2>
            <ul>
              {places.map(({ to, label, icon: Icon }) => (
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
