'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-decision/en.ts'
import { settingsPath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'

/** If the tenant requires a passkey at this risk: what the button does, or what the person has to set up first. */
export function PasskeyNote({ state }: { state: Approval['passkey'] }) {
  const { tenant } = useSession()
  if (state === 'not_needed') return null
  return (
    <p className="text-dense text-ink-2">
      {state === 'needed'
        ? t.yourDeviceWillAsk
        : t.yourOrganisationRequiresPasskey({
            link: (content) => (
              <Link href={settingsPath(tenant, 'me')} className="text-link">
                {content}
              </Link>
            ),
          })}
    </p>
  )
}
