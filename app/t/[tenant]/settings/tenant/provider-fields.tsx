'use client'

import { MappingRows } from '#components/access/mapping-rows.tsx'
import { personRoles, roleName } from '#components/access/permission-texts.ts'
import { SelectField } from '#components/forms/select-field.tsx'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { type Role, roleNames } from '#lib/permissions.ts'
import { guardedByMapping } from '#lib/rules/settings.ts'
import type { RoleMappingEntry, TenantSettings } from '#lib/schemas/tenants.ts'

type ProviderFieldsProps = {
  settings: TenantSettings
  onChange: (settings: TenantSettings) => void
  issuers: readonly string[]
  locked: boolean
}

/** What the tokens of external identity providers decide in this tenant. */
export function ProviderFields({ settings, onChange, issuers, locked }: ProviderFieldsProps) {
  const guarded = guardedByMapping(settings.roleMapping)
  return (
    <>
      <RadioCards
        legend="Roles of people from an identity provider"
        value={settings.rolesFrom}
        onChange={(rolesFrom) => onChange({ ...settings, rolesFrom })}
        locked={locked}
        options={[
          {
            value: 'membership',
            label: 'Membership and token',
            consequence: 'A role counts if it is set on the Members page and the token also carries it.',
          },
          {
            value: 'token',
            label: 'Token alone',
            consequence:
              'The provider decides: each token sets the roles of its member. The Members page only shows them. A change there counts from the next token.',
          },
        ]}
      />
      {settings.rolesFrom === 'token' && (
        <Banner tone="danger" urgency="none">
          {guarded.length === 0
            ? 'Anyone who administers the identity provider decides who has which role here. No token gives approver, privacy officer or tenant admin, because no name below is mapped to them.'
            : `Anyone who administers the identity provider can make anyone ${list.format(guarded.map(roleName))} here, without an approval in Countersign.`}
        </Banner>
      )}
      <TextField
        label="Claim that names roles"
        hint="In the access token, for example realm_access.roles, roles or groups."
        value={settings.roleClaim}
        onChange={(event) => onChange({ ...settings, roleClaim: event.target.value })}
        autoComplete="off"
        spellCheck={false}
        readOnly={locked}
      />
      <MappingRows<RoleMappingEntry>
        legend="Roles that other names give"
        hint="The names of the roles here, such as viewer, count without a row. With roles from the token alone, approver, privacy officer and tenant admin always need one."
        label="Name in the claim"
        add="Map a name to a role"
        entries={settings.roleMapping}
        onChange={(roleMapping) => onChange({ ...settings, roleMapping })}
        issuers={issuers}
        empty={(issuer) => ({ issuer, name: '', role: 'viewer' })}
        gives={(entry, change) => (
          <SelectField
            label="Role"
            value={entry.role}
            onChange={(chosen) => {
              const role = roleNames.find((name) => name === chosen)
              if (!locked && role !== undefined) change({ ...entry, role })
            }}
            options={offered(entry.role).map((role) => ({ value: role, label: roleName(role) }))}
            placeholder="Choose a role"
          />
        )}
        locked={locked}
      />
      <TextField
        label="Claim that names groups"
        hint="The approver groups can take members from these groups. They are chosen on the page Approver groups."
        value={settings.groupClaim}
        onChange={(event) => onChange({ ...settings, groupClaim: event.target.value })}
        autoComplete="off"
        spellCheck={false}
        readOnly={locked}
      />
    </>
  )
}

/** The roles of people, and the current one even if it is for machines. */
const offered = (current: Role): Role[] => roleNames.filter((role) => personRoles.includes(role) || role === current)

const list = new Intl.ListFormat('en', { type: 'disjunction' })
