'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { ExecutionStatusShape } from '#components/executions/execution-status.tsx'
import { formatDuration } from '#components/language/formats.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { executionPath, tracePath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import { ProposeGrant } from '../grant/propose-grant.tsx'
import type { CallOutcome } from './outcome.ts'
import { useOutcome } from './use-outcome.ts'

/** What became of an approved request: whether it ran, and how that ended. */
export function OutcomeSection({ shown }: { shown: Approval }) {
  const { decidedAt } = shown
  if (shown.status !== 'approved') return null
  return (
    <CustodySection title={t.whatBecameOfIt}>
      {shown.presentation.executionId !== null ? (
        <OfExecution shown={shown} />
      ) : shown.kind === 'external_call' ? (
        <OfExternalCall shown={shown} />
      ) : shown.presentation.action === 'member.reset_password' ? (
        <p>{t.resetAllowed({ requestedBy: shown.requestedBy.displayName, shown: shownText })}</p>
      ) : (
        <p>
          {t.tookEffect({ dated: String(decidedAt !== null), at: () => decidedAt !== null && <Time at={decidedAt} /> })}
        </p>
      )}
      <ProposeGrant shown={shown} />
    </CustodySection>
  )
}

/** Whether an agent elsewhere has made its call is known only to the agent. */
function OfExternalCall({ shown: { usedAt, expiresAt } }: { shown: Approval }) {
  return (
    <p>
      {usedAt === null
        ? t.agentHasNotTaken({ at: () => <Time at={expiresAt} /> })
        : t.agentTookApprovalTime({ at: () => <Time at={usedAt} /> })}
    </p>
  )
}

function OfExecution({ shown }: { shown: Approval }) {
  const { tenant } = useSession()
  const { outcome, step, execution, allowed, error, refetch } = useOutcome(shown)
  if (!allowed) return <MissingPermission act={t.seeExecutions} permission="execution:read" />
  if (error !== null && outcome === undefined)
    return (
      <RequestFailed
        error={error}
        what={t.theExecution}
        act={t.seeExecutions}
        permission="execution:read"
        retry={refetch}
      />
    )
  if (execution === undefined || outcome === undefined) return <Skeleton label={t.loadingWhatBecameOf} rows={2} />
  const { status, error: failure, endedAt, id, traceId } = execution
  return (
    <>
      <KeyValues>
        <KeyValue name={t.theCall}>
          <CallState outcome={outcome} usedAt={shown.usedAt} endedAt={step?.endedAt ?? null} />
        </KeyValue>
        <KeyValue name={t.theExecution}>
          <span className="flex flex-wrap items-baseline gap-x-2">
            <ExecutionStatusShape status={status} />
            {endedAt !== null && <Time at={endedAt} />}
          </span>
          {failure !== null && (
            <p className="wrap-anywhere">
              <ShownText>{failure.message}</ShownText>
            </p>
          )}
        </KeyValue>
      </KeyValues>
      <p className="flex flex-wrap gap-x-4 print:hidden">
        <PageLink href={executionPath(tenant, id)}>{t.openExecution}</PageLink>
        <PageLink href={tracePath(tenant, traceId)}>{t.openTrace}</PageLink>
      </p>
    </>
  )
}

const PageLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} prefetch={false} className="text-link inline-flex min-h-6 items-center">
    {children}
  </Link>
)

const CALL_STATES: Record<CallOutcome, { status: Status; label: string }> = {
  'not-begun': { status: 'pending', label: t.itHasNotBegun },
  'not-made': { status: 'revoked', label: t.itWasNotMade },
  running: { status: 'running', label: t.itIsRunning },
  succeeded: { status: 'approved', label: t.itSucceeded },
  failed: { status: 'failed', label: t.itFailed },
  unknown: { status: 'failed', label: t.itsOutcomeIsUnknown },
  taken: { status: 'running', label: t.agentTookApproval },
}

type CallStateProps = { outcome: CallOutcome; usedAt: string | null; endedAt: string | null }

function CallState({ outcome, usedAt, endedAt }: CallStateProps) {
  const shape = <StatusShape {...CALL_STATES[outcome]} />
  if (usedAt === null) return shape
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      {shape}
      <span>
        {t.beganAt({
          at: () => <Time at={usedAt} show="absolute" />,
          ended: String(endedAt !== null),
          duration: endedAt === null ? '' : formatDuration(Math.max(0, Date.parse(endedAt) - Date.parse(usedAt))),
        })}
      </span>
    </span>
  )
}
