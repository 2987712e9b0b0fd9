'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { PlainPage } from '#components/layout/plain-page.tsx'
import { failureText } from '#components/session/failure-text.ts'
import { safeReturnTo } from '#components/session/last-organisation.ts'
import { ownTenant } from '#components/session/own-tenant.ts'
import { type Identity, session } from '#components/session/session.ts'
import * as t from '#components/texts/public/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { authCallbackPath, homePath, signInPath } from '#lib/paths.ts'
import { toFailure } from '#lib/trpc.ts'

/** Completes the sign-in with the provider's code, and opens the requested page. */
export function Callback() {
  const router = useRouter()
  const begun = useRef(false)
  const [problem, setProblem] = useState<string>()
  const [denied, setDenied] = useState<Identity>()
  const [helped, setHelped] = useState(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    const address = window.location.href
    // The code is valid once and must not remain in the history.
    window.history.replaceState(window.history.state, '', authCallbackPath())
    void complete(address).catch((error: unknown) => setProblem(failureText(toFailure(error))))

    async function complete(address: string) {
      const outcome = await session.completeSignIn(address)
      if (!outcome.done) return setProblem(outcome.reason)
      if (outcome.helper) {
        setHelped(true)
        return window.close()
      }
      try {
        const tenant = await ownTenant()
        router.replace(safeReturnTo(outcome.returnTo, window.location.origin) ?? homePath(tenant))
      } catch (error) {
        const state = session.state()
        if (toFailure(error).code !== 'tenant_access_denied' || state.status !== 'signed-in') throw error
        setDenied(state.identity)
      }
    }
  }, [router])
  if (denied !== undefined) return <Denied identity={denied} />
  if (helped)
    return (
      <PlainPage title={t.signedInAgain}>
        <p>{t.closeWindow}</p>
      </PlainPage>
    )
  return (
    <PlainPage title={problem === undefined ? t.signingIn : t.notCompleted}>
      {problem === undefined ? (
        <Skeleton label={t.signingInNow} rows={1} />
      ) : (
        <ErrorPanel
          title={problem}
          effect={t.attemptFailed}
          advice={
            <a href={signInPath()} className="text-link">
              {t.signInAgain}
            </a>
          }
        />
      )}
    </PlainPage>
  )
}

/** Signing in again would use the same account: the provider remembers it until the person signs out there. */
function Denied({ identity: { name, username, organisation } }: { identity: Identity }) {
  return (
    <PlainPage title={t.accessDenied}>
      <ErrorPanel
        title={t.notMember({ name, username, organisation })}
        effect={t.noDataShown}
        advice={t.signOutForOther({ organisation })}
        action={<Button onClick={() => void session.signOut()}>{t.signOut}</Button>}
      />
    </PlainPage>
  )
}
