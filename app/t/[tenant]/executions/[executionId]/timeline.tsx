'use client'

import { useContext } from 'react'
import { StopState } from '#components/executions/stop-state.tsx'
import { JsonView } from '#components/json/json-view.tsx'
import { formatDuration } from '#components/language/formats.ts'
import { LinkButton } from '#components/layout/link-button.tsx'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution/en.ts'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time, TimeZoneContext } from '#components/ui/text/time.tsx'
import { approvalPath, executionPath } from '#lib/paths.ts'
import type { Execution } from '#lib/schemas/executions.ts'
import { endingOf } from './ending.ts'
import { Journal } from './journal.tsx'
import { StepTable } from './step-table.tsx'

/** The execution's steps, journal, input, output and times. */
export function Timeline({ execution }: { execution: Execution }) {
  const ending = endingOf(execution)
  return (
    <div className="flex flex-col gap-6">
      {ending && <ErrorPanel title={ending.title} effect={ending.effect} advice={ending.advice} />}
      <Stopping execution={execution} />
      <WaitingFor execution={execution} />
      <div className="grid gap-x-10 gap-y-6 wide:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <div className="flex flex-col gap-6">
          <Section title={t.steps}>
            <StepTable execution={execution} />
          </Section>
          <Section title={t.journal} aside={<Zone />}>
            <Journal execution={execution} />
          </Section>
        </div>
        <div className="flex flex-col gap-6">
          <Section title={t.input}>
            <JsonView value={execution.input} erased={execution.erased.length > 0} />
          </Section>
          {execution.output !== null && (
            <Section title={t.output}>
              <JsonView value={execution.output} erased={execution.erased.length > 0} />
            </Section>
          )}
          <Section title={t.times}>
            <Times execution={execution} />
          </Section>
        </div>
      </div>
    </div>
  )
}

/** A banner for a requested stop that is not confirmed yet, or for a suspended agent. */
function Stopping({ execution: { stopRequestedAt, endedAt, parkedAt } }: { execution: Execution }) {
  if (endedAt !== null) return null
  if (stopRequestedAt !== null)
    return <Banner tone="warn">{t.stopWasRequestedTime({ at: () => <Time at={stopRequestedAt} /> })}</Banner>
  if (parkedAt === null) return null
  return (
    <Banner tone="warn" urgency="none">
      {t.agentIsSuspendedExecution({ at: () => <Time at={parkedAt} /> })}
    </Banner>
  )
}

/** A banner with a link to the input or the approval that the execution waits for. */
function WaitingFor({ execution: { id, status, steps } }: { execution: Execution }) {
  const { tenant } = useSession()
  if (status === 'waiting_input')
    return (
      <Banner
        tone="hold"
        urgency="none"
        action={<LinkButton href={executionPath(tenant, id, { tab: 'waits' })}>{t.openWaits}</LinkButton>}
      >
        {t.executionIsWaitingFor}
      </Banner>
    )
  const approvalId = steps.find((step) => step.status === 'waiting_approval')?.approvalId
  if (status !== 'waiting_approval' || approvalId == null) return null
  return (
    <Banner
      tone="hold"
      urgency="none"
      action={<LinkButton href={approvalPath(tenant, approvalId)}>{t.openRequest}</LinkButton>}
    >
      {t.theExecutionIs}
    </Banner>
  )
}

function Zone() {
  const zone = useContext(TimeZoneContext)
  return <span className="text-dense text-ink-2">{t.timesIn({ zone })}</span>
}

function Times({ execution }: { execution: Execution }) {
  const { status, createdAt, startedAt, endedAt, deadlineAt, stopRequestedAt, stopConfirmedAt } = execution
  return (
    <KeyValues>
      <KeyValue name={t.requested}>
        <Time at={createdAt} />
      </KeyValue>
      <KeyValue name={t.started}>{startedAt === null ? t.notYet : <Time at={startedAt} />}</KeyValue>
      {stopRequestedAt !== null && (
        <>
          <KeyValue name={t.stopRequested}>
            <Time at={stopRequestedAt} />
          </KeyValue>
          <KeyValue name={t.stopConfirmed}>
            <StopState stop={{ status, stopRequestedAt, stopConfirmedAt }} />
          </KeyValue>
        </>
      )}
      {endedAt === null ? (
        <KeyValue name={t.mustEndBy}>
          {status === 'waiting_approval' || status === 'waiting_input' ? (
            t.pausedWhileItWaits
          ) : deadlineAt === null ? (
            t.noLimit
          ) : (
            <Time at={deadlineAt} />
          )}
        </KeyValue>
      ) : (
        <KeyValue name={t.ended}>
          {startedAt === null ? (
            <Time at={endedAt} />
          ) : (
            t.endedAfter({
              at: () => <Time at={endedAt} />,
              duration: formatDuration(Date.parse(endedAt) - Date.parse(startedAt)),
            })
          )}
        </KeyValue>
      )}
    </KeyValues>
  )
}
