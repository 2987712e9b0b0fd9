'use client'

import { MappingRows } from '#components/access/mapping-rows.tsx'
import { useQuery } from '#components/api/query.ts'
import { useSession } from '#components/session/session-provider.tsx'
import type { GroupMapping } from '#lib/schemas/members.ts'
import { useTRPC } from '#lib/trpc.ts'

export type ProviderGroupsProps = {
  /** The mappings that the group has now. */
  current: readonly GroupMapping[]
  entries: readonly GroupMapping[]
  onChange: (entries: GroupMapping[]) => void
  locked: boolean
}

/** Groups of an identity provider whose members decide in this group. Renders nothing for a tenant without such a provider. */
export function ProviderGroups({ current, entries, onChange, locked }: ProviderGroupsProps) {
  const { can } = useSession()
  const trpc = useTRPC()
  const settings = useQuery(trpc.tenants.getSettings.queryOptions(undefined, { enabled: can('tenant:manage') }))
  const issuers = settings.data?.issuers ?? []
  if (issuers.length + current.length === 0) return null
  return (
    <MappingRows<GroupMapping>
      legend="Groups of the identity provider"
      hint="Their members decide in this group as well, as their tokens of the last 24 hours or SCIM name them. The administrators of the provider decide who that is."
      label="Group at the provider"
      add="Add a group"
      entries={entries}
      onChange={onChange}
      issuers={issuers}
      empty={(issuer) => ({ issuer, name: '' })}
      locked={locked}
    />
  )
}

/** The mappings as they are sent. */
export const sentMappings = (entries: readonly GroupMapping[]): GroupMapping[] =>
  entries.map(({ issuer, name }) => ({ issuer, name: name.trim() }))

/** Why these mappings can't be sent; undefined if they can. */
export const whyNotMapped = (entries: readonly GroupMapping[]): string | undefined =>
  entries.some(({ name }) => name.trim() === '') ? 'Enter the name of each group of the identity provider.' : undefined
