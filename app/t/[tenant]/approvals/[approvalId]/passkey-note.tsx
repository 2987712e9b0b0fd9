'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import { settingsPath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'

/** Where the tenant asks for a passkey on what carries this risk: what happens at the button, or what has to be done first. */
export function PasskeyNote({ state }: { state: Approval['passkey'] }) {
  const { tenant } = useSession()
  if (state === 'not_needed') return null
  return (
    <p className="text-dense text-ink-2">
      {state === 'needed' ? (
        'Your device asks for your passkey, and signs exactly this request.'
      ) : (
        <>
          Your organisation asks for a passkey to approve what carries this risk.{' '}
          <Link href={settingsPath(tenant, 'me')} className="text-link">
            Add one in your settings
          </Link>
          ; what you typed stays here.
        </>
      )}
    </p>
  )
}
