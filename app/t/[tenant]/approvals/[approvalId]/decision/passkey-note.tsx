'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import { settingsPath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'

/** If the tenant requires a passkey at this risk: what the button does, or what the person has to set up first. */
export function PasskeyNote({ state }: { state: Approval['passkey'] }) {
  const { tenant } = useSession()
  if (state === 'not_needed') return null
  return (
    <p className="text-dense text-ink-2">
      {state === 'needed' ? (
        'Your device will ask for your passkey and sign exactly this request.'
      ) : (
        <>
          Your organisation requires a passkey to approve a request of this risk.{' '}
          <Link href={settingsPath(tenant, 'me')} className="text-link">
            Add one in your settings
          </Link>
          ; what you typed will still be here.
        </>
      )}
    </p>
  )
}
