'use client'

import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Page } from '#components/layout/page.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import { homePath, signedOutPath, signInPath } from '#lib/paths.ts'
import { lastOrganisation, rememberReturnTo } from './last-organisation.ts'
import { ownTenant } from './own-tenant.ts'
import { otherIssuer, type RealmProblem } from './provider-client.ts'
import { adviceFor } from './request-failed.tsx'
import { ResetNotice } from './reset-notice.tsx'
import { type Identity, session } from './session.ts'
import { useTenantSession } from './session-provider.tsx'

/** Shows the page once a member of the tenant is signed in; until then, the current obstacle. */
export function SessionGate({ tenant, children }: { tenant: string; children: ReactNode }) {
  const state = useTenantSession()
  switch (state.status) {
    case 'ready': {
      const [reset] = state.session.me.resets
      return reset === undefined ? children : <ResetNotice key={reset.id} reset={reset} />
    }
    case 'starting':
      return <Waiting label="Loading…" />
    case 'leaving':
      return <Waiting label="Signing you out…" />
    case 'signed-out':
      return <SignInFirst tenant={tenant} elsewhere={state.elsewhere} />
    case 'denied':
      return <Denied tenant={tenant} identity={state.identity} lost={state.lost} />
    case 'unreachable':
      return (
        <Trouble
          title="The identity provider can’t be reached."
          advice="Check the connection, then try again."
          retry={session.retry}
        />
      )
    case 'unsupported':
      return (
        <Trouble
          title="This browser can’t keep a session here."
          advice="Signing in requires an https address (or localhost) and site storage. Some browsers block storage in private windows."
        />
      )
    case 'failed':
      return (
        <Trouble
          title={`Your account could not be loaded. ${state.failure.message}`}
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
      <h1>The console can’t start</h1>
      <ErrorPanel
        title={title}
        effect="Nothing was changed."
        advice={advice}
        requestId={requestId}
        action={retry && <Button onClick={retry}>Try again</Button>}
      />
    </Page>
  )
}

/** Stays on the address and explains it: an address of another tenant must never silently lead to the person's own. */
type DeniedProps = { tenant: string; identity: Identity; lost: string | undefined }

function Denied({ tenant, identity, lost }: DeniedProps) {
  const [own, setOwn] = useState<string>()
  useEffect(() => {
    // Without a response only the second link is shown.
    ownTenant().then(setOwn, () => setOwn(undefined))
  }, [])
  return (
    <Page>
      {lost === undefined ? (
        <>
          <h1>Tenant access denied</h1>
          <p className="max-w-[75ch]">
            You are signed in as <strong>{identity.name}</strong> of {identity.organisation}. That account is not a
            member of <code className="font-mono text-dense">{tenant}</code>, or the tenant does not exist. None of its
            data was shown.
          </p>
        </>
      ) : (
        <div role="alert" className="flex flex-col gap-4">
          <h1>Your access to {lost} has ended</h1>
          <p className="max-w-[75ch]">
            Your membership was suspended or removed just now, so the organisation’s data is no longer shown. Everything
            that you had sent was recorded; unsent text was not. An administrator of {lost} can tell you more.
          </p>
        </div>
      )}
      <ul className="flex flex-col gap-2">
        {own !== undefined && (
          <li>
            <Link href={homePath(own)} className="text-link">
              Go to your own organisation
            </Link>
          </li>
        )}
        <li>
          <Link href={signInPath()} className="text-link">
            Sign in to another organisation
          </Link>
        </li>
      </ul>
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
  if (problem === undefined) return <Waiting label="Opening the sign-in page…" />
  return (
    <Page>
      <h1>Sign in</h1>
      <ErrorPanel
        title={problemText(problem)}
        effect="Nothing was changed."
        advice="Try again, or choose another organisation."
        action={
          <Link href={signInPath()} className="text-link">
            Choose an organisation
          </Link>
        }
      />
    </Page>
  )
}

export function problemText(problem: RealmProblem): string {
  switch (problem) {
    case 'unknown-organisation':
      return 'No organisation with this name was found.'
    case 'unreachable':
      return 'The identity provider can’t be reached.'
    case 'other-issuer':
      return otherIssuer
  }
}
