'use client'

import Link from 'next/link'
import { peopleWith } from '#components/session/people-with.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/alarms/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { alarmsPath } from '#lib/paths.ts'

/** In place of an empty list, which would say that there is nothing to do. */
export function NothingShown() {
  const { tenant, can } = useSession()
  const mayRead = can('audit:read')
  return (
    <EmptyState
      title={t.noApprovalsToShow}
      action={
        mayRead && (
          <Link href={alarmsPath(tenant)} prefetch={false} className="text-link inline-flex min-h-6 items-center">
            {t.openTheAlarms}
          </Link>
        )
      }
    >
      {mayRead ? t.someMayBeMissing : t.askWhatIsMissing({ people: peopleWith('audit:read') })}
    </EmptyState>
  )
}
