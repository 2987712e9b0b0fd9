'use client'

import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { accessPath } from '#lib/paths.ts'

/** Whether archived records are listed, from the address. */
export const useArchived = (): boolean => useSearchParams().get('archived') === '1'

/** A link that shows or hides archived records. */
export function ArchiveFilter({ page }: { page: 'api-keys' | 'secrets' }) {
  const { tenant } = useSession()
  const archived = useArchived()
  return (
    <p className="text-dense text-ink-2">
      {archived ? t.archivedEntriesAreShown : t.archivedEntriesAreHidden}
      <Link
        href={accessPath(tenant, page, archived ? {} : { archived: '1' })}
        prefetch={false}
        replace
        className="text-link inline-flex min-h-6 items-center"
      >
        {archived ? t.hideArchived : t.showArchived}
      </Link>
    </p>
  )
}
