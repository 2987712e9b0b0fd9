'use client'

import { MappingRows } from '#components/access/mapping-rows.tsx'
import { useQuery } from '#components/api/query.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/access-groups/en.ts'
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
      legend={t.groupsOfIdentityProvider}
      hint={t.theirMembersDecideIn}
      label={t.groupAtProvider}
      add={t.addGroup}
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
  entries.some(({ name }) => name.trim() === '') ? t.enterNameOfEach : undefined
