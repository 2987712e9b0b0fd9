'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Page } from '#components/layout/page.tsx'
import * as t from '#components/texts/session/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import { signedOutPath, signInPath } from '#lib/paths.ts'
import { failureText } from './failure-text.ts'
import { lastOrganisation, rememberReturnTo } from './last-organisation.ts'
import type { RealmProblem } from './provider-client.ts'
import { adviceFor } from './request-failed.tsx'
import { session } from './session.ts'
import { useTenantSession } from './session-provider.tsx'

// Rare, and seen while the server answers, or once it does.
const pages = {
  waiting: <Waiting label={t.loading} />,
  Failed: ({ retry }: { retry: () => void }) => (
    <Trouble title={t.pageNotLoaded} advice={t.checkConnection} retry={retry} />
  ),
}
const ResetNotice = loadedLater(() => import('./reset-notice.tsx').then((module) => module.ResetNotice), pages)
const Denied = loadedLater(() => import('./access-denied.tsx').then((module) => module.AccessDenied), pages)
const Problem = loadedLater(() => import('./sign-in-problem.tsx').then((module) => module.SignInProblem), pages)

/** Shows the page once a member of the tenant is signed in; until then, the current obstacle. */
export function SessionGate({ tenant, children }: { tenant: string; children: ReactNode }) {
  const state = useTenantSession()
  switch (state.status) {
    case 'ready': {
      const [reset] = state.session.me.resets
      return reset === undefined ? children : <ResetNotice key={reset.id} reset={reset} />
    }
    case 'starting':
      return <Waiting label={t.loading} />
    case 'leaving':
      return <Waiting label={t.signingOut} />
    case 'signed-out':
      return <SignInFirst tenant={tenant} elsewhere={state.elsewhere} />
    case 'denied':
      return <Denied tenant={tenant} identity={state.identity} lost={state.lost} />
    case 'unreachable':
      return <Trouble title={t.providerUnreachable} advice={t.checkConnection} retry={session.retry} />
    case 'unsupported':
      return <Trouble title={t.noSession} advice={t.needsStorage} />
    case 'failed':
      return (
        <Trouble
          title={t.accountNotLoaded({ problem: failureText(state.failure) })}
          advice={adviceFor(state.failure)}
          requestId={state.failure.requestId}
          retry={state.retry}
        />
      )
  }
}

function Waiting({ label }: { label: InProgress }) {
  return (
    <Page>
      <h1 className="sr-only">{label}</h1>
      <Skeleton label={label} rows={5} />
    </Page>
  )
}

function Trouble(props: { title: string; advice: ReactNode; requestId?: string | undefined; retry?: () => void }) {
  const { title, advice, requestId, retry } = props
  return (
    <Page>
      <h1>{t.cantStart}</h1>
      <ErrorPanel
        title={title}
        effect={t.nothingChanged}
        advice={advice}
        requestId={requestId}
        action={retry && <Button onClick={retry}>{t.tryAgain}</Button>}
      />
    </Page>
  )
}

/** Redirects to the sign-in page of the organisation, or to the choice if it is unknown. Returns to this address afterwards. */
function SignInFirst({ tenant, elsewhere }: { tenant: string; elsewhere: boolean }) {
  const router = useRouter()
  const left = useRef(false)
  const [problem, setProblem] = useState<RealmProblem>()
  useEffect(() => {
    if (left.current) return
    left.current = true
    if (elsewhere) return router.replace(signedOutPath())
    const returnTo = window.location.pathname + window.location.search
    const last = lastOrganisation()
    if (last?.tenant === tenant) void session.signIn(last.slug, { returnTo, replace: true }).then(setProblem)
    else {
      rememberReturnTo(returnTo)
      // A link in a mail names it.
      const organisation = new URLSearchParams(window.location.search).get('organisation')
      router.replace(signInPath(organisation === null ? {} : { organisation }))
    }
  }, [elsewhere, router, tenant])
  return problem === undefined ? <Waiting label={t.openingSignIn} /> : <Problem problem={problem} />
}
