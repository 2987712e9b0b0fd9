'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { PlainPage } from '#components/layout/plain-page.tsx'
import { failureText } from '#components/session/failure-text.ts'
import { ownTenant } from '#components/session/own-tenant.ts'
import { session } from '#components/session/session.ts'
import { useSessionState } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/public/en.ts'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { homePath, signInPath } from '#lib/paths.ts'
import { toFailure } from '#lib/trpc.ts'

/** The root page. It opens the person's organisation, or the sign-in page. */
export function Start() {
  const router = useRouter()
  const { status } = useSessionState()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    void session.start()
  }, [])
  useEffect(() => {
    if (status === 'starting' || status === 'leaving') return
    if (status === 'signed-in')
      ownTenant().then(
        (tenant) => router.replace(homePath(tenant)),
        (error: unknown) => setProblem(failureText(toFailure(error))),
      )
    else router.replace(signInPath())
  }, [status, router])
  return (
    <PlainPage title="Countersign">
      {problem === undefined ? (
        <Skeleton label={t.loading} rows={1} />
      ) : (
        <ErrorPanel
          title={t.organisationNotLoaded}
          effect={t.nothingChanged({ problem })}
          advice={t.loadAgainOrSignIn({
            link: (content) => (
              <a href={signInPath()} className="text-link">
                {content}
              </a>
            ),
          })}
        />
      )}
    </PlainPage>
  )
}
