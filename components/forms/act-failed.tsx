'use client'

import Link from 'next/link'
import { isUnknown } from '#components/api/use-act.ts'
import { failureText } from '#components/session/failure-text.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/forms/en.ts'
import * as session from '#components/texts/session/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import type { Failure } from '#lib/failure.ts'
import { approvalPath } from '#lib/paths.ts'

/** Why a change did not happen, or that its outcome is unknown. */
export function ActFailed({ failure }: { failure: Failure }) {
  const { tenant, ended, signInAgain } = useSession()
  const { code, message, requestId, issues, details } = failure
  const problem = failureText(failure)
  const action = ended ? <Button onClick={signInAgain}>{session.signInAgain}</Button> : waitingLink(details, tenant)
  if (isUnknown(failure))
    return (
      <ErrorPanel title={t.unknownChange} effect={problem} advice={t.sendAgain} requestId={requestId} action={action} />
    )
  const found = issues.map((issue) => issue.message).filter((text) => !message.includes(text))
  return (
    <ErrorPanel
      title={t.notChanged}
      effect={t.nothingChanged({ problem: [problem, ...found].join(' ') })}
      advice={code === 'revision_conflict' ? t.startAgain : adviceOf(failure)}
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
      {t.openPending}
    </Link>
  )
}
