'use client'

import { useQuery } from '#components/api/query.ts'
import { useSession } from '#components/session/session-provider.tsx'
import type { AccountSource } from '#lib/schemas/members.ts'
import { useTRPC } from '#lib/trpc.ts'
import { accountNote } from './account-words.ts'

/** Where the accounts of people come from. Undefined: not known yet, or a server of the version before. */
export function useAccountSource(): { source: AccountSource | undefined; pending: boolean } {
  const { can } = useSession()
  const trpc = useTRPC()
  const enabled = can('member:manage')
  const { data, isPending } = useQuery(trpc.members.list.queryOptions({ kind: 'person', limit: 1 }, { enabled }))
  return { source: data?.accounts, pending: enabled && isPending }
}

/** Says where accounts come from, if invitations create none of them, or not all. */
export function AccountNote() {
  const note = accountNote(useAccountSource().source)
  return note === undefined ? null : <p>{note}</p>
}
