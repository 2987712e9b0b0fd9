'use client'

import Link from 'next/link'
import * as t from '#components/texts/alarms/en.ts'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import type { Failure } from '#lib/failure.ts'
import { alarmsPath } from '#lib/paths.ts'
import { failureText } from './failure-text.ts'
import { peopleWith } from './people-with.ts'
import { useSession } from './session-provider.tsx'

/** In place of content that was changed outside the server: it fails again until someone has repaired it, whom its alarm tells how. */
export function IntegrityFailed({ title, failure }: { title: string; failure: Failure }) {
  const { tenant, can } = useSession()
  const mayRead = can('audit:read')
  return (
    <ErrorPanel
      title={title}
      effect={failureText(failure)}
      advice={mayRead ? t.alarmSaysWhatToDo : t.tellSomeone({ people: peopleWith('audit:read') })}
      requestId={failure.requestId}
      action={
        mayRead && (
          <Link href={alarmsPath(tenant)} prefetch={false} className="text-link inline-flex min-h-6 items-center">
            {t.openTheAlarms}
          </Link>
        )
      }
    />
  )
}
