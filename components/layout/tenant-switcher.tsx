'use client'

import * as t from '#components/texts/shell/en.ts'
import { MenuButton } from '#components/ui/controls/menu-button.tsx'
import { ChooseIcon } from '#components/ui/status/icons.tsx'

/** An organisation of the person, including the current one. */
export type FrameMembership = { externalId: string; name: string /** What the person is there. */; role: string }

export type TenantSwitcherProps = {
  /** External id of the tenant in the address. */
  tenant: string
  memberships: FrameMembership[]
}

const load = () => import('./tenant-items.tsx').then((module) => module.TenantItems)

/** A menu of the person's organisations; empty for a person with only one. Items are links, so that each can be opened in a tab. */
export function TenantSwitcher(props: TenantSwitcherProps) {
  if (!props.memberships.some(({ externalId }) => externalId !== props.tenant)) return null
  return (
    <MenuButton
      align="start"
      load={load}
      props={props}
      trigger={
        <button
          type="button"
          aria-label={t.switchOrganisation}
          className="inline-grid size-9 shrink-0 place-items-center hover:bg-selected"
        >
          <ChooseIcon />
        </button>
      }
    />
  )
}
