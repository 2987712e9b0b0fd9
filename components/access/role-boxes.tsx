'use client'

import { useId } from 'react'
import { roleName, roleText } from '#components/access/permission-texts.ts'
import * as t from '#components/texts/access-members/en.ts'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import type { Role } from '#lib/permissions.ts'

type RoleBoxesProps = {
  roles: readonly Role[]
  chosen: ReadonlySet<string>
  onChange: (role: Role, chosen: boolean) => void
  /** Why a role can't be changed. */
  whyNot?: (role: Role) => string | undefined
  /** A consequence of choosing the role, such as that it waits for approval. */
  note?: (role: Role) => string | undefined
  locked: boolean
}

/** Roles to choose from, each with its purpose. */
export function RoleBoxes({ roles, chosen, onChange, whyNot, note, locked }: RoleBoxesProps) {
  const id = useId()
  return (
    <fieldset className="flex flex-col gap-2" aria-labelledby={id}>
      <legend id={id} className="mb-1.5 font-semibold text-dense">
        {t.roles}
      </legend>
      {roles.map((role) => (
        <Checkbox
          key={role}
          label={<RoleLabel role={role} note={note?.(role)} />}
          checked={chosen.has(role)}
          onChange={(checked) => onChange(role, checked)}
          disabledReason={whyNot?.(role)}
          locked={locked}
        />
      ))}
    </fieldset>
  )
}

function RoleLabel({ role, note }: { role: Role; note: string | undefined }) {
  return (
    <span className="flex flex-col">
      <span>{roleName(role)}</span>
      <span className="text-dense text-ink-2">{roleText[role]}</span>
      {note !== undefined && <span className="text-dense text-hold">{note}</span>}
    </span>
  )
}
