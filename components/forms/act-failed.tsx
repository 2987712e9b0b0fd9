'use client'

import Link from 'next/link'
import { isUnknown } from '#components/api/use-act.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import type { Failure } from '#lib/failure.ts'
import { approvalPath } from '#lib/paths.ts'

type ActFailedProps = {
  failure: Failure
  /** As the end of "It was not …": "invited", "revoked". */
  done: string
}

/** Why a change did not happen, or that its outcome is unknown. */
export function ActFailed({ failure, done }: ActFailedProps) {
  const { tenant, ended, signInAgain } = useSession()
  const { code, message, requestId, issues, details } = failure
  const action = ended ? <Button onClick={signInAgain}>Sign in again</Button> : waitingLink(details, tenant)
  if (isUnknown(failure))
    return (
      <ErrorPanel
        title={`It is unknown whether it was ${done}.`}
        effect={message}
        advice="Send it again: it takes effect at most once. Or close this dialog and check the list."
        requestId={requestId}
        action={action}
      />
    )
  const found = issues.map((issue) => issue.message).filter((text) => !message.includes(text))
  return (
    <ErrorPanel
      title={`It was not ${done}.`}
      effect={[message, ...found, 'Nothing was changed.'].join(' ')}
      advice={
        code === 'revision_conflict' ? 'Close this dialog, review what changed, and start again.' : adviceOf(failure)
      }
      requestId={requestId}
      action={action}
    />
  )
}

/** The message of a refusal already names the next step; support is for unexpected errors. */
const adviceOf = (failure: Failure) =>
  failure.httpStatus !== undefined &&
  failure.httpStatus < 500 &&
  failure.httpStatus !== 429 &&
  failure.httpStatus !== 401
    ? undefined
    : adviceFor(failure)

/** A link to the pending request, if the refusal names one. */
function waitingLink({ approvalId }: Record<string, unknown>, tenant: string) {
  if (typeof approvalId !== 'string') return undefined
  return (
    <Link href={approvalPath(tenant, approvalId)} prefetch={false} className="text-link">
      Open the pending request
    </Link>
  )
}
