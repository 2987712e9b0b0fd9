'use client'

import { SelectField } from '#components/forms/select-field.tsx'
import { replaceAddress, useAddressSearch } from '#components/lists/address.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/access-members/en.ts'
import { accessPath } from '#lib/paths.ts'
import type { MemberStatus } from '#lib/schemas/members.ts'

type Filter = MemberStatus | 'all' | 'open' | 'before' | 'no-passkey'

const OPTIONS: { value: Filter; label: string }[] = [
  { value: 'all', label: t.everyone },
  { value: 'active', label: t.active },
  { value: 'invited', label: t.invited },
  { value: 'suspended', label: t.suspended },
  { value: 'removed', label: t.removed },
  { value: 'no-passkey', label: t.withoutPasskey },
  { value: 'open', label: t.controlNotProved },
  { value: 'before', label: t.accountsFromBeforeTo },
]

/** Returns the filter in the address, and the input of members.list that selects its members. */
export function useMemberFilter() {
  const wanted = useAddressSearch().get('status')
  const status = OPTIONS.find(({ value }) => value === wanted)?.value ?? 'all'
  return { status, filter: inputOf(status) }
}

type Input = { status?: MemberStatus; control?: 'open' | 'before'; passkey?: 'none' }

function inputOf(status: Filter): Input {
  if (status === 'all') return {}
  if (status === 'no-passkey') return { passkey: 'none' }
  return status === 'open' || status === 'before' ? { control: status } : { status }
}

export function StatusFilter() {
  const { tenant } = useSession()
  const { status } = useMemberFilter()
  return (
    <div className="max-w-60">
      <SelectField
        label={t.show}
        value={status}
        onChange={(value) => replaceAddress(accessPath(tenant, 'members', value === 'all' ? {} : { status: value }))}
        options={OPTIONS}
        placeholder={t.chooseState}
      />
    </div>
  )
}
