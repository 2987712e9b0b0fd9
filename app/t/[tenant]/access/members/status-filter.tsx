'use client'

import { useRouter, useSearchParams } from 'next/navigation'
import { SelectField } from '#components/forms/select-field.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { accessPath } from '#lib/paths.ts'
import type { MemberStatus } from '#lib/schemas/members.ts'

const OPTIONS: { value: MemberStatus | 'all'; label: string }[] = [
  { value: 'all', label: 'Everyone' },
  { value: 'active', label: 'Active' },
  { value: 'invited', label: 'Invited' },
  { value: 'suspended', label: 'Suspended' },
  { value: 'removed', label: 'Removed' },
]

/** Returns the status in the address by which members are filtered, or undefined for all members. */
export function useStatusFilter(): MemberStatus | undefined {
  const wanted = useSearchParams().get('status')
  const found = OPTIONS.find(({ value }) => value === wanted)?.value
  return found === 'all' ? undefined : found
}

export function StatusFilter() {
  const { tenant } = useSession()
  const router = useRouter()
  const status = useStatusFilter()
  return (
    <div className="max-w-60">
      <SelectField
        label="Show"
        value={status ?? 'all'}
        onChange={(value) =>
          router.replace(accessPath(tenant, 'members', value === 'all' ? {} : { status: value }), { scroll: false })
        }
        options={OPTIONS}
        placeholder="Choose a state"
      />
    </div>
  )
}
