'use client'

import { MappingRows } from '#components/access/mapping-rows.tsx'
import { personRoles, roleName } from '#components/access/permission-texts.ts'
import { SelectField } from '#components/forms/select-field.tsx'
import { formatChoice } from '#components/language/formats.ts'
import * as t from '#components/texts/settings-tenant/en.ts'
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
        legend={t.rolesOfPeopleFrom}
        value={settings.rolesFrom}
        onChange={(rolesFrom) => onChange({ ...settings, rolesFrom })}
        locked={locked}
        options={[
          {
            value: 'membership',
            label: t.membershipAndToken,
            consequence: t.roleCountsIfIt,
          },
          {
            value: 'token',
            label: t.tokenAlone,
            consequence: t.providerDecidesEachToken,
          },
        ]}
      />
      {settings.rolesFrom === 'token' && (
        <Banner tone="danger" urgency="none">
          {guarded.length === 0
            ? t.anyoneWhoAdministersIdentity
            : t.anyoneWho({ roles: formatChoice(guarded.map(roleName)) })}
        </Banner>
      )}
      <TextField
        label={t.claimThatNamesRoles}
        hint={t.inAccessTokenFor}
        value={settings.roleClaim}
        onChange={(event) => onChange({ ...settings, roleClaim: event.target.value })}
        autoComplete="off"
        spellCheck={false}
        readOnly={locked}
      />
      <MappingRows<RoleMappingEntry>
        legend={t.rolesThatOtherNames}
        hint={t.namesOfRolesHere}
        label={t.nameInClaim}
        add={t.mapNameToRole}
        entries={settings.roleMapping}
        onChange={(roleMapping) => onChange({ ...settings, roleMapping })}
        issuers={issuers}
        empty={(issuer) => ({ issuer, name: '', role: 'viewer' })}
        gives={(entry, change) => (
          <SelectField
            label={t.role}
            value={entry.role}
            onChange={(chosen) => {
              const role = roleNames.find((name) => name === chosen)
              if (!locked && role !== undefined) change({ ...entry, role })
            }}
            options={offered(entry.role).map((role) => ({ value: role, label: roleName(role) }))}
            placeholder={t.chooseRole}
          />
        )}
        locked={locked}
      />
      <TextField
        label={t.claimThatNamesGroups}
        hint={t.approverGroupsCanTake}
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
