'use client'

import type { ReactNode } from 'react'
import * as t from '#components/texts/session/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { NoPermission } from '#components/ui/feedback/no-permission.tsx'
import type { Failure } from '#lib/failure.ts'
import type { Permission } from '#lib/permissions.ts'
import { toFailure } from '#lib/trpc.ts'
import { failureText } from './failure-text.ts'
import { peopleWith, rolesToAskFor } from './people-with.ts'
import { useSession } from './session-provider.tsx'

/** Rare, and this file is on every page. Without it, the message still says what happened. */
const IntegrityAdvice = loadedLater(() => import('./integrity-advice.tsx').then((module) => module.IntegrityAdvice), {
  Failed: () => null,
})

type RequestFailedProps = {
  /** The error of a query, mutation or restFetch. */
  error: unknown
  /** The requested object, as the subject of a sentence: "The approvals". */
  what: string
  /** Whether `what` is plural ("The approvals") or singular ("The trace"). */
  plural?: boolean
  /** The action that requires the permission: "see approvals". Both are absent if everyone may read it. */
  act?: string
  permission?: Permission
  retry?: () => void
}

/** Replaces content that could not be loaded, with the reason: a missing permission, not found, or an error. Never looks like an empty list. */
export function RequestFailed({ error, what, plural = false, act, permission, retry }: RequestFailedProps) {
  const { ended, signInAgain } = useSession()
  const failure = toFailure(error)
  if (failure.code === 'forbidden' && act !== undefined && permission !== undefined)
    return <MissingPermission act={act} permission={permission} />
  if (failure.code === 'not_found' || namesNothing(failure))
    return <EmptyState title={t.notFound({ what, plural: String(plural) })}>{t.notFoundAbout}</EmptyState>
  return (
    <ErrorPanel
      title={t.notLoaded({ what, plural: String(plural) })}
      effect={effectOf(failure)}
      advice={adviceFor({ ...failure, retryable: mayHelp(failure) })}
      requestId={failure.requestId}
      action={
        ended ? (
          <Button onClick={signInAgain}>{t.signInAgain}</Button>
        ) : (
          retry && mayHelp(failure) && <Button onClick={retry}>{plural ? t.loadThem : t.loadIt}</Button>
        )
      }
    />
  )
}

/** A refused input was made by this page, so the text of the refusal would be about a text that no one typed. */
const effectOf = (failure: Failure): string =>
  failure.code === 'integrity_failed'
    ? failureText(failure)
    : t.problemNothingChanged({
        problem: failure.code === 'validation_failed' ? t.pageOutOfDate : failureText(failure),
      })

/** Whether the same request can succeed later. Reading again is safe, also after an error of the server. */
const mayHelp = ({ code, retryable, httpStatus = 0 }: Failure): boolean =>
  code !== 'integrity_failed' && (retryable || code === 'unauthorized' || httpStatus >= 500)

/** The id in the address is malformed, so it counts as not found. */
const namesNothing = ({ code, issues }: Failure): boolean =>
  code === 'validation_failed' && issues.length > 0 && issues.every(({ path }) => /^id$|Id$/.test(path))

/** Tells a person without `permission` which roles include it. */
export function MissingPermission({ act, permission }: { act: string; permission: Permission }) {
  return (
    <NoPermission what={act}>
      {t.onlyPeopleAssigned({ people: peopleWith(permission), count: rolesToAskFor(permission).length })}
    </NoPermission>
  )
}

/** Returns the next step after a failure. */
export function adviceFor({ code, advice, retryable, retryAfterSeconds }: Failure): ReactNode {
  if (advice) return advice
  if (code === 'integrity_failed') return <IntegrityAdvice />
  if (code === 'unauthorized') return t.adviceSignIn
  if (code === 'network' || code === 'not_loaded') return t.checkConnection
  if (code === 'no_passkey' || code === 'passkey_required') return t.advicePasskey
  if (code === 'rate_limited')
    return retryAfterSeconds === undefined ? t.adviceMoment : t.adviceSeconds({ seconds: String(retryAfterSeconds) })
  if (retryable) return t.adviceRetry
  return t.adviceSupport
}
