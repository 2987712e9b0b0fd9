'use client'

import type { ReactNode } from 'react'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { NoPermission } from '#components/ui/feedback/no-permission.tsx'
import type { Failure } from '#lib/failure.ts'
import { type Permission, peopleWith, rolesToAskFor } from '#lib/permissions.ts'
import { toFailure } from '#lib/trpc.ts'
import { useSession } from './session-provider.tsx'

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
    return (
      <EmptyState title={`${what} can’t be found.`}>
        It doesn’t exist, or it belongs to another organisation.
      </EmptyState>
    )
  return (
    <ErrorPanel
      title={`${what} could not be loaded.`}
      effect={`${messageOf(failure)} Nothing was changed.`}
      advice={adviceFor({ ...failure, retryable: mayHelp(failure) })}
      requestId={failure.requestId}
      action={
        ended ? (
          <Button onClick={signInAgain}>Sign in again</Button>
        ) : (
          retry && mayHelp(failure) && <Button onClick={retry}>{plural ? 'Load them again' : 'Load it again'}</Button>
        )
      }
    />
  )
}

/** A refused input was made by this page, so the text of the refusal would be about a text that no one typed. */
const messageOf = ({ code, message }: Failure): string =>
  code === 'validation_failed'
    ? 'The server did not accept the request of this page: its address may be out of date.'
    : message

/** Whether the same request can succeed later. Reading again is safe, also after an error of the server. */
const mayHelp = ({ code, retryable, httpStatus = 0 }: Failure): boolean =>
  retryable || code === 'unauthorized' || httpStatus >= 500

/** The id in the address is malformed, so it counts as not found. */
const namesNothing = ({ code, issues }: Failure): boolean =>
  code === 'validation_failed' && issues.length > 0 && issues.every(({ path }) => /^id$|Id$/.test(path))

/** Tells a person without `permission` which roles include it. */
export function MissingPermission({ act, permission }: { act: string; permission: Permission }) {
  return (
    <NoPermission what={act}>
      {`Only ${peopleWith(permission)} can. A tenant administrator assigns ${rolesToAskFor(permission).length === 1 ? 'this role' : 'these roles'}.`}
    </NoPermission>
  )
}

/** Returns the next step after a failure. */
export function adviceFor({ code, retryable, retryAfterSeconds }: Failure): ReactNode {
  if (code === 'unauthorized') return 'Sign in again.'
  if (code === 'network') return 'Check the connection, then try again.'
  if (code === 'no_passkey' || code === 'passkey_required')
    return 'Confirm again. Your settings show which passkeys you have.'
  if (code === 'rate_limited')
    return retryAfterSeconds === undefined ? 'Try again in a moment.' : `Try again in ${retryAfterSeconds} s.`
  if (retryable) return 'Try again. If the problem persists, give support the request ID.'
  return 'Trying again won’t help. Give support the request ID.'
}
