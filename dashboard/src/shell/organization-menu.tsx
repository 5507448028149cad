import { useQueryClient } from '@tanstack/react-query';
import { Check, ChevronsUpDown } from 'lucide-react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { useBrand } from '../brand/brand.ts';
import { BrandLogo } from '../brand/brand-logo.tsx';
import { texts } from '../texts.ts';

/** Shows the current organization and switches to another. */
export function OrganizationMenu() {
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
