'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { PlainPage } from '#components/layout/plain-page.tsx'
import { safeReturnTo } from '#components/session/last-organisation.ts'
import { ownTenant } from '#components/session/own-tenant.ts'
import { session } from '#components/session/session.ts'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { authCallbackPath, homePath, signInPath } from '#lib/paths.ts'
import { toFailure } from '#lib/trpc.ts'

/** Completes the sign-in with the provider's code, and opens the requested page. */
export function Callback() {
  const router = useRouter()
  const begun = useRef(false)
  const [problem, setProblem] = useState<string>()
  const [helped, setHelped] = useState(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    const address = window.location.href
    // The code is valid once and must not remain in the history.
    window.history.replaceState(window.history.state, '', authCallbackPath())
    void complete(address).catch((error: unknown) => setProblem(toFailure(error).message))

    async function complete(address: string) {
      const outcome = await session.completeSignIn(address)
      if (!outcome.done) return setProblem(outcome.reason)
      if (outcome.helper) {
        setHelped(true)
        return window.close()
      }
      const tenant = await ownTenant()
      router.replace(safeReturnTo(outcome.returnTo, window.location.origin) ?? homePath(tenant))
    }
  }, [router])
  if (helped)
    return (
      <PlainPage title="You are signed in again">
        <p>The page that you came from continues automatically. You can close this window.</p>
      </PlainPage>
    )
  return (
    <PlainPage title={problem === undefined ? 'Signing you in' : 'The sign-in was not completed'}>
      {problem === undefined ? (
        <Skeleton label="Signing you in…" rows={1} />
      ) : (
        <ErrorPanel
          title={problem}
          effect="This attempt did not sign you in. Nothing else was changed."
          advice={
            <a href={signInPath()} className="text-link">
              Sign in again
            </a>
          }
        />
      )}
    </PlainPage>
  )
}
