'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { ExecutionStatusShape, isLive } from '#components/executions/execution-status.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { formatDuration } from '#lib/format.ts'
import { executionPath, tracePath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import type { Execution } from '#lib/schemas/executions.ts'
import { useTRPC } from '#lib/trpc.ts'
import { ProposeGrant } from '../grant/propose-grant.tsx'

/** While the socket is down, in milliseconds. */
const pollMs = 10_000

/** What became of an approved request: whether it ran, and how that ended. */
export function OutcomeSection({ shown }: { shown: Approval }) {
  if (shown.status !== 'approved') return null
  return (
    <CustodySection title="What became of it">
      {shown.presentation.executionId !== null ? (
        <OfExecution shown={shown} executionId={shown.presentation.executionId} />
      ) : shown.kind === 'external_call' ? (
        <OfExternalCall shown={shown} />
      ) : (
        <p>
          It took effect with the decision
          {shown.decidedAt !== null && (
            <>
              , <Time at={shown.decidedAt} />
            </>
          )}
          .
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
      {usedAt === null ? (
        <>
          The agent has not taken the approval yet. It can do so until <Time at={expiresAt} />.
        </>
      ) : (
        <>
          The agent took the approval <Time at={usedAt} />. Countersign does not see whether it made the call.
        </>
      )}
    </p>
  )
}

function OfExecution({ shown, executionId }: { shown: Approval; executionId: string }) {
  const { can } = useSession()
  const trpc = useTRPC()
  const allowed = can('execution:read')
  const { data, error, refetch } = useQuery(trpc.executions.get.queryOptions({ id: executionId }, { enabled: allowed }))
  useChanges(data === undefined || isLive(data.status) ? ['executions'] : [], pollMs)
  if (!allowed) return <MissingPermission act="see executions" permission="execution:read" />
  if (error !== null && data === undefined)
    return (
      <RequestFailed
        error={error}
        what="The execution"
        act="see executions"
        permission="execution:read"
        retry={() => void refetch()}
      />
    )
  if (data === undefined) return <Skeleton label="Loading what became of it…" rows={2} />
  return <Ran shown={shown} execution={data} />
}

type Step = Execution['steps'][number]

function Ran({ shown: { approvalId, usedAt }, execution }: { shown: Approval; execution: Execution }) {
  const { tenant } = useSession()
  const step = execution.steps.findLast((one) => one.approvalId === approvalId)
  const { status, error, endedAt, id, traceId } = execution
  return (
    <>
      <KeyValues>
        <KeyValue name="The call">
          <CallState step={step} usedAt={usedAt} over={!isLive(status)} />
        </KeyValue>
        <KeyValue name="The execution">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <ExecutionStatusShape status={status} />
            {endedAt !== null && <Time at={endedAt} />}
          </span>
          {error !== null && (
            <p className="wrap-anywhere">
              <ShownText>{error.message}</ShownText>
            </p>
          )}
        </KeyValue>
      </KeyValues>
      <p className="flex flex-wrap gap-x-4">
        <PageLink href={executionPath(tenant, id)}>Open the execution</PageLink>
        <PageLink href={tracePath(tenant, traceId)}>Open the trace</PageLink>
      </p>
    </>
  )
}

const PageLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} prefetch={false} className="text-link inline-flex min-h-6 items-center">
    {children}
  </Link>
)

type CallStateProps = { step: Step | undefined; usedAt: string | null; over: boolean }

function CallState({ step, usedAt, over }: CallStateProps) {
  if (usedAt === null)
    return over ? (
      <StatusShape status="revoked" label="It was not made." />
    ) : (
      <StatusShape status="pending" label="It has not begun." />
    )
  const ended = step?.endedAt ?? null
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      {step?.status === 'succeeded' ? (
        <StatusShape status="approved" label="It succeeded" />
      ) : step?.status === 'failed' ? (
        <StatusShape status="failed" label="It failed" />
      ) : over ? (
        <StatusShape status="failed" label="Its outcome is unknown" />
      ) : (
        <StatusShape status="running" label="It is running" />
      )}
      <span>
        began <Time at={usedAt} show="absolute" />
        {ended !== null && `, took ${formatDuration(Math.max(0, Date.parse(ended) - Date.parse(usedAt)))}`}
      </span>
    </span>
  )
}
