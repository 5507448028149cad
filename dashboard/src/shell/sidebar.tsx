import { useQueryClient } from '@tanstack/react-query';
import { BookOpen, Check, ChevronsUpDown, Search } from 'lucide-react';
import { useState } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { NavLink, useLocation, useNavigate } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { hasPermission } from '../api/permissions.ts';
import { useSession } from '../api/session.ts';
import { useSignOut } from '../api/use-sign-out.ts';
import { useBrand } from '../brand/brand.ts';
import { BrandLogo } from '../brand/brand-logo.tsx';
import { texts } from '../texts.ts';
import { chooseTheme, chosenTheme, type Theme } from '../theme.ts';
import { docsAt, navigationFor } from './navigation.ts';

const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** The signed-in user's menu: settings, theme and sign-out. */
function AccountMenu() {
  const { account } = useSession();
  const [theme, setTheme] = useState(chosenTheme);
  const navigate = useNavigate();
  const signOut = useSignOut();

  function act(key: string) {
    if (key === 'settings') void navigate('/account');
    else if (key === 'sign-out') void signOut();
    else {
      chooseTheme(key as Theme);
      setTheme(key as Theme);
    }
  }

  return (
    <MenuTrigger>
      <Button className="switcher">
        <span className="monogram round" aria-hidden>
          {(account.name ?? account.email).charAt(0).toUpperCase()}
        </span>
        <span className="two-lines">
          <span>{account.name ?? account.email}</span>
          <span>{account.name === null ? '' : account.email}</span>
        </span>
        <ChevronsUpDown size={15} aria-hidden />
        <span className="visually-hidden">{texts.shell.account}</span>
      </Button>
      <Popover className="popover" placement="top start">
        <Menu aria-label={texts.shell.account} onAction={(key) => act(String(key))}>
          <MenuItem id="settings" className="menu-item">
            {texts.shell.settings}
          </MenuItem>
          <Separator className="menu-separator" />
          {themes.map((id) => (
            <MenuItem key={id} id={id} className="menu-item" textValue={texts.shell.theme[id]}>
              <span>{texts.shell.theme[id]}</span>
              {id === theme ? <Check size={15} aria-hidden /> : null}
            </MenuItem>
          ))}
          <Separator className="menu-separator" />
          <MenuItem id="sign-out" className="menu-item">
            {texts.shell.signOut}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

/** Shows the current organization and switches to another. */
function OrganizationMenu() {
  const { organization, organizations, role } = useSession();
  const brand = useBrand();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  if (organization === null) return null;

  async function switchTo(organization_id: string) {
    await readJson(api.POST('/account/session/organization', { body: { organization_id } }));
    await navigate('/');
    await queryClient.resetQueries();
  }

  return (
    <MenuTrigger>
      <Button className="switcher">
        <BrandLogo name={organization.name} logo={brand?.logo ?? null} />
        <span className="two-lines">
          <span>{organization.name}</span>
          <span>{role === null ? '' : texts.roles[role]}</span>
        </span>
        <ChevronsUpDown size={15} aria-hidden />
        <span className="visually-hidden">{texts.shell.switchOrganization}</span>
      </Button>
      <Popover className="popover" placement="bottom start">
        <Menu aria-label={texts.shell.switchOrganization} onAction={(id) => void switchTo(String(id))}>
          {organizations.map(({ id, name }) => (
            <MenuItem key={id} id={id} className="menu-item" textValue={name}>
              <span>{name}</span>
              {id === organization.id ? <Check size={15} aria-hidden /> : null}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

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
