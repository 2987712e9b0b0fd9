'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/alarms/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { alarmsPath } from '#lib/paths.ts'

/** In place of an empty list, which would say that there is nothing to do. */
export function NothingShown() {
  const { tenant } = useSession()
  return (
    <EmptyState
      title={t.noApprovalsToShow}
      action={
        <Link href={alarmsPath(tenant)} prefetch={false} className="text-link inline-flex min-h-6 items-center">
          {t.openTheAlarms}
        </Link>
      }
    >
      {t.someMayBeMissing}
    </EmptyState>
  )
}
