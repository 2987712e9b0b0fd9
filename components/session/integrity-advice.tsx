'use client'

import Link from 'next/link'
import * as t from '#components/texts/alarms/en.ts'
import { alarmsPath } from '#lib/paths.ts'
import { peopleWith } from './people-with.ts'
import { useTenantSession } from './session-provider.tsx'

/** The next step when stored data was changed outside the server: the request fails again until someone has repaired it, whom an alarm tells how. */
export function IntegrityAdvice() {
  const state = useTenantSession()
  if (state.status !== 'ready' || !state.session.can('audit:read'))
    return t.tellSomeone({ people: peopleWith('audit:read') })
  return (
    <>
      {t.alarmSaysWhatToDo}{' '}
      <Link href={alarmsPath(state.session.tenant)} prefetch={false} className="text-link inline-block min-h-6">
        {t.openTheAlarms}
      </Link>
    </>
  )
}
